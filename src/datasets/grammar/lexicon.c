/* The words themselves: nouns, verbs and adjectives in English and French. */

#include "grammar/lexicon.h"

#include <stddef.h>
#include <string.h>

enum { M = false, F = true };
#define REGULAR(english, french, gender, kind)                                                     \
    {                                                                                              \
        english, english "s", french, french "s", gender, kind                                     \
    }

const sac_lexicon_noun sac_nouns[] = {
    {"man", "men", "homme", "hommes", M, SAC_PERSON},
    {"woman", "women", "femme", "femmes", F, SAC_PERSON},
    {"child", "children", "enfant", "enfants", M, SAC_PERSON},
    REGULAR("boy", "garçon", M, SAC_PERSON),
    REGULAR("girl", "fille", F, SAC_PERSON),
    REGULAR("teacher", "professeur", M, SAC_PERSON),
    REGULAR("student", "étudiant", M, SAC_PERSON),
    REGULAR("doctor", "médecin", M, SAC_PERSON),
    REGULAR("minister", "ministre", M, SAC_PERSON),
    REGULAR("king", "roi", M, SAC_PERSON),
    REGULAR("queen", "reine", F, SAC_PERSON),
    REGULAR("lawyer", "avocat", M, SAC_PERSON),
    REGULAR("farmer", "agriculteur", M, SAC_PERSON),
    REGULAR("friend", "ami", M, SAC_PERSON),
    REGULAR("neighbour", "voisin", M, SAC_PERSON),
    REGULAR("writer", "écrivain", M, SAC_PERSON),
    {"actress", "actresses", "actrice", "actrices", F, SAC_PERSON},
    REGULAR("baker", "boulanger", M, SAC_PERSON),
    REGULAR("sister", "sœur", F, SAC_PERSON),
    REGULAR("brother", "frère", M, SAC_PERSON),
    REGULAR("mother", "mère", F, SAC_PERSON),
    REGULAR("father", "père", M, SAC_PERSON),
    REGULAR("president", "président", M, SAC_PERSON),
    REGULAR("worker", "ouvrier", M, SAC_PERSON),
    REGULAR("dog", "chien", M, SAC_ANIMAL),
    REGULAR("cat", "chat", M, SAC_ANIMAL),
    {"horse", "horses", "cheval", "chevaux", M, SAC_ANIMAL},
    {"bird", "birds", "oiseau", "oiseaux", M, SAC_ANIMAL},
    REGULAR("cow", "vache", F, SAC_ANIMAL),
    {"bear", "bears", "ours", "ours", M, SAC_ANIMAL},
    REGULAR("goat", "chèvre", F, SAC_ANIMAL),
    REGULAR("book", "livre", M, SAC_TEXT_WORK),
    REGULAR("letter", "lettre", F, SAC_TEXT_WORK),
    REGULAR("agreement", "accord", M, SAC_TEXT_WORK),
    REGULAR("law", "loi", F, SAC_TEXT_WORK),
    {"treaty", "treaties", "traité", "traités", M, SAC_TEXT_WORK},
    REGULAR("contract", "contrat", M, SAC_TEXT_WORK),
    REGULAR("report", "rapport", M, SAC_TEXT_WORK),
    {"newspaper", "newspapers", "journal", "journaux", M, SAC_TEXT_WORK},
    REGULAR("article", "article", M, SAC_TEXT_WORK),
    REGULAR("poem", "poème", M, SAC_TEXT_WORK),
    {"story", "stories", "histoire", "histoires", F, SAC_TEXT_WORK},
    REGULAR("song", "chanson", F, SAC_TEXT_WORK),
    REGULAR("table", "table", F, SAC_THING),
    REGULAR("chair", "chaise", F, SAC_THING),
    REGULAR("door", "porte", F, SAC_THING),
    REGULAR("window", "fenêtre", F, SAC_THING),
    REGULAR("key", "clé", F, SAC_THING),
    REGULAR("car", "voiture", F, SAC_THING),
    {"boat", "boats", "bateau", "bateaux", M, SAC_THING},
    REGULAR("bicycle", "vélo", M, SAC_THING),
    REGULAR("tree", "arbre", M, SAC_THING),
    REGULAR("flower", "fleur", F, SAC_THING),
    REGULAR("apple", "pomme", F, SAC_THING),
    {"cake", "cakes", "gâteau", "gâteaux", M, SAC_THING},
    REGULAR("lamp", "lampe", F, SAC_THING),
    REGULAR("clock", "horloge", F, SAC_THING),
    REGULAR("umbrella", "parapluie", M, SAC_THING),
    REGULAR("egg", "œuf", M, SAC_THING),
    REGULAR("house", "maison", F, SAC_BUILDING),
    {"city", "cities", "ville", "villes", F, SAC_REGION},
    REGULAR("village", "village", M, SAC_REGION),
    REGULAR("school", "école", F, SAC_BUILDING),
    REGULAR("park", "parc", M, SAC_REGION),
    REGULAR("garden", "jardin", M, SAC_REGION),
    REGULAR("street", "rue", F, SAC_REGION),
    REGULAR("island", "île", F, SAC_REGION),
    REGULAR("hotel", "hôtel", M, SAC_BUILDING),
    REGULAR("bridge", "pont", M, SAC_BUILDING),
    {"church", "churches", "église", "églises", F, SAC_BUILDING},
    {"office", "offices", "bureau", "bureaux", M, SAC_BUILDING},
    REGULAR("market", "marché", M, SAC_BUILDING),
    REGULAR("area", "zone", F, SAC_REGION),
    REGULAR("station", "gare", F, SAC_BUILDING),
    {"beach", "beaches", "plage", "plages", F, SAC_REGION},
    REGULAR("forest", "forêt", F, SAC_REGION),
    {"castle", "castles", "château", "châteaux", M, SAC_BUILDING},
    {"hospital", "hospitals", "hôpital", "hôpitaux", M, SAC_BUILDING},
    {"university", "universities", "université", "universités", F, SAC_BUILDING},
    REGULAR("museum", "musée", M, SAC_BUILDING),
    REGULAR("government", "gouvernement", M, SAC_GROUP),
    REGULAR("council", "conseil", M, SAC_GROUP),
    {"company", "companies", "entreprise", "entreprises", F, SAC_GROUP},
    REGULAR("team", "équipe", F, SAC_GROUP),
    REGULAR("bank", "banque", F, SAC_GROUP),
    {"army", "armies", "armée", "armées", F, SAC_GROUP},
    {"court", "courts", "tribunal", "tribunaux", M, SAC_GROUP},
    REGULAR("parliament", "parlement", M, SAC_GROUP),
    REGULAR("committee", "comité", M, SAC_GROUP),
    {0},
};

/* Most French adjectives add -e and -s. */
#define ADDS(english, french, order, fits)                                                         \
    {                                                                                              \
        english, french, french "e", french "s", french "es", NULL, order, fits                    \
    }
/* Those that end in -e add -s alone. */
#define ONE_FORM(english, french, order, fits)                                                     \
    {                                                                                              \
        english, french, french, french "s", french "s", NULL, order, fits                         \
    }
#define OBJECTS (SAC_THING | SAC_TEXT_WORK | SAC_PLACE)

const sac_adjective sac_adjectives[] = {
    {"big", "grand", "grande", "grands", "grandes", NULL, SAC_SIZE, SAC_ANYTHING},
    {"small", "petit", "petite", "petits", "petites", NULL, SAC_SIZE, SAC_ANYTHING},
    {"beautiful", "beau", "belle", "beaux", "belles", "bel", SAC_SIZE, SAC_ANYTHING},
    {"new", "nouveau", "nouvelle", "nouveaux", "nouvelles", "nouvel", SAC_SIZE, SAC_ANYTHING},
    {"old", "vieux", "vieille", "vieux", "vieilles", "vieil", SAC_SIZE, SAC_ANYTHING},
    {"good", "bon", "bonne", "bons", "bonnes", NULL, SAC_SIZE, SAC_ANYTHING},
    {"bad", "mauvais", "mauvaise", "mauvais", "mauvaises", NULL, SAC_SIZE, SAC_ANYTHING},
    {"young", "jeune", "jeune", "jeunes", "jeunes", NULL, SAC_SIZE, SAC_LIVING},
    {"pretty", "joli", "jolie", "jolis", "jolies", NULL, SAC_SIZE, SAC_LIVING | OBJECTS},
    {"long", "long", "longue", "longs", "longues", NULL, SAC_SIZE, SAC_TEXT_WORK},
    ONE_FORM("red", "rouge", SAC_QUALITY, SAC_THING | SAC_ANIMAL),
    ADDS("blue", "bleu", SAC_QUALITY, SAC_THING),
    ADDS("green", "vert", SAC_QUALITY, SAC_THING),
    {"white", "blanc", "blanche", "blancs", "blanches", NULL, SAC_QUALITY, SAC_THING | SAC_ANIMAL},
    ADDS("black", "noir", SAC_QUALITY, SAC_THING | SAC_ANIMAL),
    ONE_FORM("yellow", "jaune", SAC_QUALITY, SAC_THING),
    ADDS("round", "rond", SAC_QUALITY, SAC_THING),
    {"european", "européen", "européenne", "européens", "européennes", NULL, SAC_NATION,
     SAC_ACTOR | SAC_TEXT_WORK | SAC_PLACE},
    ONE_FORM("economic", "économique", SAC_DOMAIN, SAC_TEXT_WORK | SAC_REGION),
    {"french", "français", "française", "français", "françaises", NULL, SAC_NATION, SAC_ANYTHING},
    ADDS("german", "allemand", SAC_NATION, SAC_ANYTHING),
    {"english", "anglais", "anglaise", "anglais", "anglaises", NULL, SAC_NATION, SAC_ANYTHING},
    ADDS("american", "américain", SAC_NATION, SAC_ANYTHING),
    ADDS("spanish", "espagnol", SAC_NATION, SAC_ANYTHING),
    ONE_FORM("political", "politique", SAC_DOMAIN, SAC_TEXT_WORK),
    {"national", "national", "nationale", "nationaux", "nationales", NULL, SAC_DOMAIN,
     SAC_GROUP | SAC_TEXT_WORK},
    {"international", "international", "internationale", "internationaux", "internationales", NULL,
     SAC_DOMAIN, SAC_GROUP | SAC_TEXT_WORK},
    {"public", "public", "publique", "publics", "publiques", NULL, SAC_DOMAIN, SAC_PLACE},
    ADDS("private", "privé", SAC_DOMAIN, SAC_PLACE | SAC_GROUP),
    ONE_FORM("rich", "riche", SAC_QUALITY, SAC_ACTOR),
    {"happy", "heureux", "heureuse", "heureux", "heureuses", NULL, SAC_QUALITY, SAC_LIVING},
    ONE_FORM("sad", "triste", SAC_QUALITY, SAC_LIVING),
    ADDS("strong", "fort", SAC_QUALITY, SAC_LIVING),
    ONE_FORM("famous", "célèbre", SAC_QUALITY, SAC_ACTOR | SAC_TEXT_WORK | SAC_PLACE),
    ONE_FORM("empty", "vide", SAC_QUALITY, SAC_PLACE),
    ADDS("important", "important", SAC_QUALITY, SAC_ACTOR | SAC_TEXT_WORK),
    {"dangerous", "dangereux", "dangereuse", "dangereux", "dangereuses", NULL, SAC_QUALITY,
     SAC_ANIMAL | SAC_PLACE},
    {"expensive", "cher", "chère", "chers", "chères", NULL, SAC_QUALITY, SAC_THING},
    ONE_FORM("modern", "moderne", SAC_QUALITY, OBJECTS),
    ADDS("tired", "fatigué", SAC_QUALITY, SAC_LIVING),
    ONE_FORM("quiet", "calme", SAC_QUALITY, SAC_LIVING | SAC_PLACE),
    {0},
};

/* French verbs in -er, by their stem. */
#define ER(stem)                                                                                   \
    {                                                                                              \
        stem "e", stem "e", stem "ons", stem "ez", stem "ent"                                      \
    }

const sac_verb sac_verbs[] = {
    {"sign", "signs", "signed", "signed", ER("sign"), "signé", false, SAC_ACTOR, SAC_TEXT_WORK},
    {"see",
     "sees",
     "saw",
     "seen",
     {"vois", "voit", "voyons", "voyez", "voient"},
     "vu",
     false,
     SAC_LIVING,
     SAC_ANYTHING},
    {"write",
     "writes",
     "wrote",
     "written",
     {"écris", "écrit", "écrivons", "écrivez", "écrivent"},
     "écrit",
     false,
     SAC_PERSON,
     SAC_TEXT_WORK},
    {"buy",
     "buys",
     "bought",
     "bought",
     {"achète", "achète", "achetons", "achetez", "achètent"},
     "acheté",
     false,
     SAC_ACTOR,
     SAC_THING | SAC_ANIMAL | SAC_PLACE},
    {"sell",
     "sells",
     "sold",
     "sold",
     {"vends", "vend", "vendons", "vendez", "vendent"},
     "vendu",
     false,
     SAC_ACTOR,
     SAC_THING | SAC_ANIMAL | SAC_PLACE},
    {"build",
     "builds",
     "built",
     "built",
     {"construis", "construit", "construisons", "construisez", "construisent"},
     "construit",
     false,
     SAC_ACTOR,
     SAC_PLACE},
    {"find", "finds", "found", "found", ER("trouv"), "trouvé", false, SAC_LIVING | SAC_GROUP,
     SAC_ANYTHING},
    {"lose",
     "loses",
     "lost",
     "lost",
     {"perds", "perd", "perdons", "perdez", "perdent"},
     "perdu",
     false,
     SAC_ACTOR,
     SAC_THING | SAC_TEXT_WORK | SAC_ANIMAL},
    {"love", "loves", "loved", "loved", ER("aim"), "aimé", false, SAC_PERSON, SAC_ANYTHING},
    {"watch", "watches", "watched", "watched", ER("regard"), "regardé", false, SAC_LIVING,
     SAC_LIVING | SAC_THING | SAC_PLACE},
    {"open",
     "opens",
     "opened",
     "opened",
     {"ouvre", "ouvre", "ouvrons", "ouvrez", "ouvrent"},
     "ouvert",
     false,
     SAC_ACTOR,
     SAC_PLACE | SAC_TEXT_WORK},
    {"close", "closes", "closed", "closed", ER("ferm"), "fermé", false, SAC_ACTOR, SAC_PLACE},
    {"carry", "carries", "carried", "carried", ER("port"), "porté", false, SAC_LIVING, SAC_THING},
    {"visit", "visits", "visited", "visited", ER("visit"), "visité", false, SAC_ACTOR, SAC_PLACE},
    {"follow",
     "follows",
     "followed",
     "followed",
     {"suis", "suit", "suivons", "suivez", "suivent"},
     "suivi",
     false,
     SAC_LIVING,
     SAC_LIVING},
    {"choose",
     "chooses",
     "chose",
     "chosen",
     {"choisis", "choisit", "choisissons", "choisissez", "choisissent"},
     "choisi",
     false,
     SAC_ACTOR,
     SAC_ANYTHING},
    {"publish", "publishes", "published", "published", ER("publi"), "publié", false, SAC_ACTOR,
     SAC_TEXT_WORK},
    {"accept", "accepts", "accepted", "accepted", ER("accept"), "accepté", false, SAC_ACTOR,
     SAC_TEXT_WORK},
    {"refuse", "refuses", "refused", "refused", ER("refus"), "refusé", false, SAC_ACTOR,
     SAC_TEXT_WORK | SAC_THING},
    {"paint",
     "paints",
     "painted",
     "painted",
     {"peins", "peint", "peignons", "peignez", "peignent"},
     "peint",
     false,
     SAC_PERSON,
     SAC_THING | SAC_PLACE | SAC_ANIMAL},
    {"help", "helps", "helped", "helped", ER("aid"), "aidé", false, SAC_ACTOR, SAC_ACTOR},
    {"know",
     "knows",
     "knew",
     "known",
     {"connais", "connaît", "connaissons", "connaissez", "connaissent"},
     "connu",
     false,
     SAC_PERSON,
     SAC_PERSON | SAC_PLACE | SAC_TEXT_WORK},
    {"draw", "draws", "drew", "drawn", ER("dessin"), "dessiné", false, SAC_PERSON,
     SAC_LIVING | SAC_THING | SAC_PLACE},
    {"break", "breaks", "broke", "broken", ER("cass"), "cassé", false, SAC_LIVING, SAC_THING},
    {"hide", "hides", "hid", "hidden", ER("cach"), "caché", false, SAC_LIVING,
     SAC_THING | SAC_TEXT_WORK},
    {"protect",
     "protects",
     "protected",
     "protected",
     {"protège", "protège", "protégeons", "protégez", "protègent"},
     "protégé",
     false,
     SAC_ACTOR,
     SAC_LIVING | SAC_PLACE},
    {"send",
     "sends",
     "sent",
     "sent",
     {"envoie", "envoie", "envoyons", "envoyez", "envoient"},
     "envoyé",
     false,
     SAC_ACTOR,
     SAC_TEXT_WORK | SAC_THING},
    {"understand",
     "understands",
     "understood",
     "understood",
     {"comprends", "comprend", "comprenons", "comprenez", "comprennent"},
     "compris",
     false,
     SAC_PERSON,
     SAC_TEXT_WORK | SAC_PERSON},
    {"sleep",
     "sleeps",
     "slept",
     "slept",
     {"dors", "dort", "dormons", "dormez", "dorment"},
     "dormi",
     false,
     SAC_LIVING,
     0},
    {"work", "works", "worked", "worked", ER("travaill"), "travaillé", false, SAC_ACTOR, 0},
    {"laugh",
     "laughs",
     "laughed",
     "laughed",
     {"ris", "rit", "rions", "riez", "rient"},
     "ri",
     false,
     SAC_PERSON,
     0},
    {"dance",
     "dances",
     "danced",
     "danced",
     {"danse", "danse", "dansons", "dansez", "dansent"},
     "dansé",
     false,
     SAC_LIVING,
     0},
    {"sing", "sings", "sang", "sung", ER("chant"), "chanté", false, SAC_LIVING, 0},
    {"wait",
     "waits",
     "waited",
     "waited",
     {"attends", "attend", "attendons", "attendez", "attendent"},
     "attendu",
     false,
     SAC_LIVING | SAC_GROUP,
     0},
    {"swim",
     "swims",
     "swam",
     "swum",
     {"nage", "nage", "nageons", "nagez", "nagent"},
     "nagé",
     false,
     SAC_LIVING,
     0},
    {"run",
     "runs",
     "ran",
     "run",
     {"cours", "court", "courons", "courez", "courent"},
     "couru",
     false,
     SAC_LIVING,
     0},
    {"arrive", "arrives", "arrived", "arrived", ER("arriv"), "arrivé", true, SAC_LIVING | SAC_GROUP,
     0},
    {"leave",
     "leaves",
     "left",
     "left",
     {"pars", "part", "partons", "partez", "partent"},
     "parti",
     true,
     SAC_LIVING | SAC_GROUP,
     0},
    {"come",
     "comes",
     "came",
     "come",
     {"viens", "vient", "venons", "venez", "viennent"},
     "venu",
     true,
     SAC_LIVING,
     0},
    {"fall", "falls", "fell", "fallen", ER("tomb"), "tombé", true, SAC_LIVING | SAC_THING, 0},
    {"stay", "stays", "stayed", "stayed", ER("rest"), "resté", true, SAC_LIVING, 0},
    {0},
};

const sac_determiner sac_determiners[] = {
    {"the", "le", "la", "les"},
    {"a", "un", "une", NULL},
    {"some", NULL, NULL, "des"},
    {"this", "ce", "cette", NULL},
    {"these", NULL, NULL, "ces"},
    {"my", "mon", "ma", "mes"},
    {"his", "son", "sa", "ses"},
    {"our", "notre", "notre", "nos"},
    {"your", "votre", "votre", "vos"},
    {"two", NULL, NULL, "deux"},
    {"three", NULL, NULL, "trois"},
    {"every", "chaque", "chaque", NULL},
    {0},
};

const sac_pronoun sac_pronouns[] = {
    {"i", "je", SAC_JE, false, false, "am", "was", "do"},
    {"he", "il", SAC_IL, false, false, "is", "was", "does"},
    {"she", "elle", SAC_IL, true, false, "is", "was", "does"},
    {"we", "nous", SAC_NOUS, false, true, "are", "were", "do"},
    {"you", "vous", SAC_VOUS, false, true, "are", "were", "do"},
    {"they", "ils", SAC_ILS, false, true, "are", "were", "do"},
    {0},
};

const sac_named_place sac_named_places[] = {
    {"france", "en", "france"},
    {"germany", "en", "allemagne"},
    {"spain", "en", "espagne"},
    {"italy", "en", "italie"},
    {"japan", "au", "japon"},
    {"canada", "au", "canada"},
    {"portugal", "au", "portugal"},
    {"brazil", "au", "brésil"},
    {"paris", "à", "paris"},
    {"london", "à", "londres"},
    {"geneva", "à", "genève"},
    {"brussels", "à", "bruxelles"},
    {0},
};

const sac_word_pair sac_prepositions[] = {
    {"in", "dans"},
    {"on", "sur"},
    {"under", "sous"},
    {"behind", "derrière"},
    {"with", "avec"},
    {"without", "sans"},
    {"for", "pour"},
    {"against", "contre"},
    {"towards", "vers"},
    {"of", "de"},
    {"to", "à"},
    {"by", "par"},
    {0},
};

const sac_word_pair sac_months[] = {
    {"january", "janvier"},
    {"february", "février"},
    {"march", "mars"},
    {"april", "avril"},
    {"may", "mai"},
    {"june", "juin"},
    {"july", "juillet"},
    {"august", "août"},
    {"september", "septembre"},
    {"october", "octobre"},
    {"november", "novembre"},
    {"december", "décembre"},
    {0},
};

const sac_word_pair sac_weekdays[] = {
    {"monday", "lundi"},       {"tuesday", "mardi"},
    {"wednesday", "mercredi"}, {"thursday", "jeudi"},
    {"friday", "vendredi"},    {"saturday", "samedi"},
    {"sunday", "dimanche"},    {0},
};

#define SAME(text)                                                                                 \
    {                                                                                              \
        text, text                                                                                 \
    }
const sac_word_pair sac_years[] = {
    SAME("1985"), SAME("1986"), SAME("1987"), SAME("1988"), SAME("1989"), SAME("1990"),
    SAME("1991"), SAME("1992"), SAME("1993"), SAME("1994"), SAME("1995"), SAME("1996"),
    SAME("1997"), SAME("1998"), SAME("1999"), {0},
};
const sac_word_pair sac_days[] = {
    SAME("2"),  SAME("3"),  SAME("4"),  SAME("5"),  SAME("7"),  SAME("9"),  SAME("10"), SAME("12"),
    SAME("14"), SAME("15"), SAME("18"), SAME("20"), SAME("21"), SAME("25"), SAME("30"), {0},
};

const sac_word_pair sac_adverbs[] = {
    {"often", "souvent"},
    {"always", "toujours"},
    {"already", "déjà"},
    {0},
};

const sac_word_pair sac_year_words[] = {
    {"in", "en"}, {"before", "avant"}, {"after", "après"}, {"since", "depuis"}, {0},
};

const sac_word_pair sac_conjunctions[] = {
    {"and", "et"}, {"but", "mais"}, {"when", "quand"}, {"because", "parce que"}, {0},
};

/* ---------------------------------------------------------------- counting and finding */

#define COUNT(table) ((int)(sizeof(table) / sizeof *(table)) - 1)

int sac_nouns_count(void)
{
    return COUNT(sac_nouns);
}

int sac_adjectives_count(void)
{
    return COUNT(sac_adjectives);
}

int sac_verbs_count(void)
{
    return COUNT(sac_verbs);
}

int sac_determiners_count(void)
{
    return COUNT(sac_determiners);
}

int sac_pronouns_count(void)
{
    return COUNT(sac_pronouns);
}

int sac_named_places_count(void)
{
    return COUNT(sac_named_places);
}

int sac_word_pairs_count(const sac_word_pair *pairs)
{
    int count = 0;
    while (pairs[count].english)
        count++;
    return count;
}

int sac_noun_find(const char *english)
{
    for (int i = 0; sac_nouns[i].english; i++)
        if (strcmp(sac_nouns[i].english, english) == 0 ||
            strcmp(sac_nouns[i].english_plural, english) == 0)
            return i;
    return -1;
}

int sac_adjective_find(const char *english)
{
    for (int i = 0; sac_adjectives[i].english; i++)
        if (strcmp(sac_adjectives[i].english, english) == 0)
            return i;
    return -1;
}

int sac_verb_find(const char *english)
{
    for (int i = 0; sac_verbs[i].english; i++) {
        const sac_verb *v = &sac_verbs[i];
        if (strcmp(v->english, english) == 0 || strcmp(v->english_third, english) == 0 ||
            strcmp(v->english_past, english) == 0 || strcmp(v->english_participle, english) == 0)
            return i;
    }
    return -1;
}
