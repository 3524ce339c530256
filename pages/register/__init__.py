"""The page Publication register: what recipients of publications can conclude, alone and in pairs."""
