"""The privacy models, one file each; the line below that declares them is the only other place with their names."""

from core.privacy.model import declare
from core.privacy.models import k_anonymity, l_diversity, m_privacy, t_closeness

for _one in (k_anonymity.MODEL, l_diversity.MODEL, t_closeness.MODEL, m_privacy.MODEL):
    declare(_one)
