"""The diagnoses of the synthetic city: ICD-10 categories with invented frequencies.

Which code stands for which illness, and in which chapter it belongs, is fact (ICD-10, WHO).
The wording is ours. How often a diagnosis occurs, at which age and in which sex, is made up
so that it looks plausible: no statistic of any country is behind it.
"""

from __future__ import annotations

from typing import NamedTuple


class Diagnosis(NamedTuple):
    """One category of ICD-10 and how often the city has it.

    Parameters
    ----------
    code
        ICD-10 category of three characters.
    name
        What it is, in plain words.
    weight
        Relative frequency where the age curve is 1.
    ages
        Key of the age curve in ``AGE_CURVES``.
    female, male
        Factors on the weight; 0 where the diagnosis does not occur.
    """

    code: str
    name: str
    weight: float
    ages: str
    female: float = 1.0
    male: float = 1.0


AGE_CURVES: dict[str, dict[int, float]] = {
    "any": {0: 0.8, 30: 1.0, 100: 1.0},
    "newborn": {0: 12.0, 1: 0.0},
    "infant": {0: 3.0, 2: 1.0, 5: 0.1, 9: 0.0},
    "child": {0: 2.0, 4: 2.4, 9: 1.5, 14: 0.5, 20: 0.15, 40: 0.05, 100: 0.02},
    "school": {2: 0.0, 5: 1.0, 11: 1.6, 16: 1.0, 22: 0.25, 40: 0.08, 100: 0.02},
    "teen": {8: 0.0, 12: 0.7, 16: 1.6, 22: 1.0, 32: 0.3, 60: 0.05, 100: 0.0},
    "young": {8: 0.1, 15: 0.9, 21: 1.6, 30: 1.1, 45: 0.6, 65: 0.35, 100: 0.3},
    "fertile": {14: 0.0, 17: 0.15, 22: 0.9, 29: 1.8, 35: 1.2, 40: 0.4, 45: 0.06, 49: 0.02, 50: 0.0},
    "adult": {10: 0.05, 18: 0.6, 30: 1.0, 55: 1.1, 75: 0.8, 100: 0.5},
    "middle": {12: 0.0, 25: 0.25, 40: 0.8, 55: 1.2, 70: 1.1, 85: 0.8, 100: 0.5},
    "late": {20: 0.0, 35: 0.12, 50: 0.6, 65: 1.3, 80: 1.6, 100: 1.4},
    "old": {45: 0.0, 60: 0.1, 70: 0.6, 80: 1.8, 90: 3.0, 100: 3.4},
    "extremes": {0: 2.5, 5: 1.2, 15: 0.5, 40: 0.4, 65: 0.8, 80: 1.5, 100: 2.2},
}
"""Factor on a weight by age: anchors, straight lines between them, level outside."""

D = Diagnosis

CHAPTERS: dict[str, tuple[Diagnosis, ...]] = {
    "Infections": (
        D("A08", "Viral bowel infection", 12, "child"),
        D("A09", "Bowel infection, cause not found", 46, "extremes"),
        D("A15", "Tuberculosis of the lungs", 0.5, "adult", 0.7, 1.3),
        D("A37", "Whooping cough", 1.2, "infant"),
        D("A41", "Blood poisoning (sepsis)", 3, "extremes"),
        D("A56", "Chlamydia", 2, "teen", 1.4, 0.7),
        D("A69", "Lyme disease and the like", 0.8, "any"),
        D("B00", "Herpes simplex", 2, "young"),
        D("B01", "Chickenpox", 7, "child"),
        D("B02", "Shingles", 3, "late"),
        D("B07", "Viral warts", 4, "school"),
        D("B08", "Hand, foot and mouth disease and the like", 5, "infant"),
        D("B18", "Chronic viral hepatitis", 1.2, "middle", 0.7, 1.3),
        D("B20", "HIV disease", 1.2, "adult", 0.5, 1.5),
        D("B27", "Glandular fever", 1.6, "teen"),
        D("B34", "Viral infection, site not named", 40, "child"),
        D("B37", "Thrush", 3, "extremes", 1.5, 0.5),
    ),
    "Tumours": (
        D("C18", "Bowel cancer", 2.5, "late", 0.9, 1.1),
        D("C25", "Cancer of the pancreas", 0.7, "late"),
        D("C34", "Lung cancer", 2.5, "late", 0.7, 1.3),
        D("C43", "Melanoma of the skin", 1.2, "middle"),
        D("C44", "Other skin cancer", 3, "late"),
        D("C50", "Breast cancer", 5, "middle", 2.0, 0.015),
        D("C53", "Cancer of the cervix", 0.8, "adult", 2.0, 0.0),
        D("C61", "Prostate cancer", 4.5, "late", 0.0, 2.0),
        D("C62", "Testicular cancer", 0.5, "young", 0.0, 2.0),
        D("C64", "Kidney cancer", 0.7, "late", 0.7, 1.3),
        D("C67", "Bladder cancer", 1.2, "late", 0.5, 1.5),
        D("C81", "Hodgkin lymphoma", 0.3, "young"),
        D("C85", "Other lymphoma", 0.9, "late"),
        D("C91", "Lymphatic leukaemia", 0.6, "extremes"),
        D("D12", "Bowel polyp", 3, "late"),
        D("D22", "Mole", 3, "adult", 1.2, 0.8),
        D("D25", "Fibroid of the womb", 3, "middle", 2.0, 0.0),
    ),
    "Blood and immune system": (
        D("D50", "Iron deficiency anaemia", 7, "adult", 1.6, 0.4),
        D("D51", "Vitamin B12 deficiency anaemia", 1, "old"),
        D("D64", "Other anaemia", 2.5, "old"),
        D("D68", "Clotting disorder", 0.8, "any"),
    ),
    "Hormones, nutrition and metabolism": (
        D("E03", "Underactive thyroid", 12, "middle", 1.7, 0.4),
        D("E04", "Goitre", 3, "middle", 1.6, 0.4),
        D("E10", "Type 1 diabetes", 2, "young"),
        D("E11", "Type 2 diabetes", 97, "late", 0.9, 1.1),
        D("E55", "Vitamin D deficiency", 4, "extremes", 1.3, 0.7),
        D("E66", "Obesity", 23, "middle", 1.1, 0.9),
        D("E78", "High cholesterol", 66, "late"),
        D("E84", "Cystic fibrosis", 0.15, "child"),
        D("E86", "Dehydration", 3, "extremes"),
    ),
    "Mind and behaviour": (
        D("F03", "Dementia, kind not named", 30, "old", 1.2, 0.8),
        D("F10", "Alcohol problem", 5, "middle", 0.5, 1.5),
        D("F11", "Opioid problem", 1.2, "young", 0.6, 1.4),
        D("F12", "Cannabis problem", 1.6, "teen", 0.5, 1.5),
        D("F17", "Tobacco dependence", 7, "adult", 0.8, 1.2),
        D("F20", "Schizophrenia", 1, "adult", 0.8, 1.2),
        D("F31", "Bipolar disorder", 1.2, "adult"),
        D("F32", "Depressive episode", 53, "adult", 1.3, 0.7),
        D("F33", "Recurring depression", 12, "adult", 1.3, 0.7),
        D("F41", "Anxiety disorder", 46, "young", 1.4, 0.6),
        D("F42", "Obsessions and compulsions", 0.8, "young"),
        D("F43", "Reaction to stress", 23, "adult", 1.2, 0.8),
        D("F45", "Bodily complaints without a bodily cause", 4, "adult", 1.3, 0.7),
        D("F50", "Eating disorder", 1.6, "teen", 1.8, 0.2),
        D("F80", "Delayed speech", 3, "infant", 0.6, 1.4),
        D("F84", "Autism", 1.4, "school", 0.4, 1.6),
        D("F90", "Attention deficit (ADHD)", 8, "school", 0.6, 1.4),
    ),
    "Nerves": (
        D("G20", "Parkinson's disease", 2, "old", 0.8, 1.2),
        D("G30", "Alzheimer's disease", 14, "old", 1.2, 0.8),
        D("G35", "Multiple sclerosis", 0.9, "adult", 1.4, 0.6),
        D("G40", "Epilepsy", 2.5, "extremes"),
        D("G43", "Migraine", 14, "young", 1.5, 0.5),
        D("G44", "Other headache", 4, "young"),
        D("G45", "Passing stroke (TIA)", 1.4, "late"),
        D("G47", "Sleep disorder", 5, "middle", 0.8, 1.2),
        D("G56", "Carpal tunnel syndrome", 3, "middle", 1.3, 0.7),
        D("G80", "Cerebral palsy", 0.5, "child"),
    ),
    "Eyes": (
        D("H10", "Pink eye", 8, "child"),
        D("H25", "Cataract of old age", 10, "old"),
        D("H35", "Disease of the retina", 3, "old"),
        D("H40", "Glaucoma", 4, "late"),
        D("H50", "Squint", 1.4, "infant"),
        D("H52", "Refraction error", 8, "any"),
    ),
    "Ears": (
        D("H60", "Infection of the outer ear", 3, "school"),
        D("H65", "Fluid in the middle ear", 4, "infant"),
        D("H66", "Infection of the middle ear", 34, "infant"),
        D("H81", "Inner ear vertigo", 2.5, "late"),
        D("H90", "Hearing loss from nerve or conduction", 4, "old"),
    ),
    "Heart and circulation": (
        D("I10", "High blood pressure", 320, "late"),
        D("I11", "Heart disease from high blood pressure", 4, "old"),
        D("I20", "Angina", 5, "late", 0.8, 1.2),
        D("I21", "Heart attack", 5, "late", 0.7, 1.3),
        D("I25", "Long-standing coronary disease", 23, "late", 0.7, 1.3),
        D("I26", "Lung embolism", 1, "late"),
        D("I35", "Disease of the aortic valve", 1.6, "old"),
        D("I42", "Disease of the heart muscle", 0.8, "late"),
        D("I48", "Atrial fibrillation", 12, "old"),
        D("I49", "Other irregular heartbeat", 2.5, "late"),
        D("I50", "Heart failure", 12, "old"),
        D("I63", "Stroke", 5, "old"),
        D("I70", "Hardened arteries", 4, "old", 0.8, 1.2),
        D("I80", "Vein inflammation and clots", 2, "late"),
        D("I83", "Varicose veins of the legs", 5, "middle", 1.4, 0.6),
    ),
    "Lungs and airways": (
        D("J00", "Common cold", 73, "child"),
        D("J01", "Sinusitis", 12, "young"),
        D("J02", "Sore throat", 14, "school"),
        D("J03", "Tonsillitis", 14, "school"),
        D("J06", "Airway infection, several sites", 208, "child"),
        D("J10", "Influenza, virus proven", 5, "any"),
        D("J11", "Influenza, virus not proven", 8, "any"),
        D("J15", "Bacterial pneumonia", 2.5, "extremes"),
        D("J18", "Pneumonia, cause not found", 8, "extremes"),
        D("J20", "Acute bronchitis", 46, "extremes"),
        D("J21", "Bronchiolitis of infants", 7, "infant"),
        D("J30", "Hay fever", 23, "young"),
        D("J35", "Enlarged tonsils or adenoids", 4, "child"),
        D("J44", "Chronic obstructive lung disease (COPD)", 19, "late", 0.9, 1.1),
        D("J45", "Asthma", 40, "school"),
        D("J84", "Scarring lung disease", 0.5, "old"),
    ),
    "Digestion": (
        D("K02", "Tooth decay", 5, "school"),
        D("K21", "Acid reflux", 14, "middle"),
        D("K29", "Stomach inflammation", 14, "adult"),
        D("K35", "Appendicitis", 4, "teen"),
        D("K40", "Groin hernia", 5, "late", 0.2, 1.8),
        D("K42", "Navel hernia", 1.5, "middle"),
        D("K50", "Crohn's disease", 0.8, "young"),
        D("K51", "Ulcerative colitis", 0.8, "young"),
        D("K52", "Bowel inflammation without infection", 5, "any"),
        D("K57", "Diverticula of the bowel", 5, "late"),
        D("K58", "Irritable bowel", 4, "young", 1.4, 0.6),
        D("K59", "Constipation", 5, "extremes"),
        D("K64", "Haemorrhoids", 4, "middle"),
        D("K70", "Liver disease from alcohol", 1.2, "middle", 0.6, 1.4),
        D("K80", "Gallstones", 7, "middle", 1.4, 0.6),
    ),
    "Skin": (
        D("L01", "Impetigo", 1.6, "child"),
        D("L03", "Skin infection spreading under the surface", 2, "late"),
        D("L20", "Atopic eczema", 10, "infant"),
        D("L30", "Other eczema", 7, "any"),
        D("L40", "Psoriasis", 3, "adult"),
        D("L50", "Hives", 2.5, "young"),
        D("L70", "Acne", 8, "teen"),
        D("L89", "Pressure sore", 1, "old"),
    ),
    "Bones, joints and muscles": (
        D("M06", "Rheumatoid arthritis", 2.5, "middle", 1.5, 0.5),
        D("M10", "Gout", 2.5, "late", 0.4, 1.6),
        D("M16", "Worn hip joint", 7, "late"),
        D("M17", "Worn knee joint", 12, "late", 1.2, 0.8),
        D("M51", "Slipped disc", 10, "middle"),
        D("M54", "Back pain", 131, "adult"),
        D("M75", "Shoulder damage", 7, "middle"),
        D("M79", "Soft tissue complaint", 5, "adult"),
        D("M81", "Osteoporosis", 5, "old", 1.7, 0.3),
    ),
    "Kidneys, bladder and sex organs": (
        D("N18", "Chronic kidney disease", 5, "old"),
        D("N20", "Kidney stone", 4, "middle", 0.7, 1.3),
        D("N30", "Bladder infection", 19, "adult", 1.8, 0.2),
        D("N39", "Other urinary complaint", 8, "extremes", 1.5, 0.5),
        D("N40", "Enlarged prostate", 12, "late", 0.0, 2.0),
        D("N76", "Inflamed vagina", 3, "young", 2.0, 0.0),
        D("N80", "Endometriosis", 2, "fertile", 2.0, 0.0),
        D("N92", "Heavy or irregular periods", 5, "fertile", 2.0, 0.0),
        D("N95", "Complaint of the menopause", 4, "middle", 2.0, 0.0),
    ),
    "Pregnancy and childbirth": (
        D("O03", "Miscarriage", 3, "fertile", 2.0, 0.0),
        D("O21", "Vomiting in pregnancy", 2.5, "fertile", 2.0, 0.0),
        D("O24", "Diabetes in pregnancy", 3, "fertile", 2.0, 0.0),
        D("O47", "False labour", 2.5, "fertile", 2.0, 0.0),
        D("O60", "Premature labour", 1.6, "fertile", 2.0, 0.0),
        D("O80", "Normal birth", 23, "fertile", 2.0, 0.0),
        D("O82", "Caesarean birth", 7, "fertile", 2.0, 0.0),
    ),
    "Newborns": (
        D("P07", "Born early or small", 5, "newborn"),
        D("P22", "Breathing trouble of the newborn", 2.5, "newborn"),
        D("P59", "Jaundice of the newborn", 5, "newborn"),
    ),
    "Malformations": (
        D("Q21", "Gap in the wall of the heart", 1, "infant"),
        D("Q53", "Undescended testicle", 0.8, "infant", 0.0, 2.0),
        D("Q65", "Malformed hip", 0.8, "infant", 1.6, 0.4),
        D("Q90", "Down syndrome", 0.5, "child"),
    ),
    "Complaints without a diagnosis": (
        D("R05", "Cough", 8, "extremes"),
        D("R07", "Chest or throat pain", 12, "adult"),
        D("R10", "Belly pain", 29, "young"),
        D("R11", "Feeling or being sick", 5, "child"),
        D("R42", "Dizziness", 7, "late"),
        D("R50", "Fever, cause not found", 12, "infant"),
        D("R51", "Headache", 10, "young"),
        D("R53", "Tiredness", 7, "adult"),
        D("R55", "Fainting", 4, "extremes"),
    ),
    "Injuries and poisoning": (
        D("S00", "Bruise or graze of the head", 8, "child", 0.8, 1.2),
        D("S01", "Cut on the head", 8, "child", 0.6, 1.4),
        D("S06", "Concussion and brain injury", 8, "young", 0.5, 1.5),
        D("S22", "Broken rib", 2, "late"),
        D("S42", "Broken collarbone or upper arm", 3, "young", 0.6, 1.4),
        D("S52", "Broken forearm", 8, "school", 0.8, 1.2),
        D("S61", "Cut on the hand", 12, "young", 0.4, 1.6),
        D("S62", "Broken hand", 7, "young", 0.3, 1.7),
        D("S72", "Broken thigh or hip", 4, "old", 1.3, 0.7),
        D("S82", "Broken lower leg", 4, "adult"),
        D("S83", "Torn knee", 8, "young", 0.5, 1.5),
        D("S93", "Sprained ankle", 19, "young", 0.7, 1.3),
        D("T78", "Allergic reaction", 3, "any"),
    ),
    "Check-ups and other visits": (
        D("Z00", "General check-up", 19, "extremes"),
        D("Z30", "Contraception advice", 5, "fertile", 1.9, 0.1),
        D("Z34", "Check-up in pregnancy", 16, "fertile", 2.0, 0.0),
        D("Z96", "Living with an implant", 2, "old"),
    ),
}
"""Chapters of ICD-10 in plain words, each with its diagnoses; external causes are left out."""

DIAGNOSES: tuple[Diagnosis, ...] = tuple(row for rows in CHAPTERS.values() for row in rows)
