/** Words and sentences for sample texts. */
export const FIRST_NAMES =
  "Ada Amir Bea Chidi Clara Dmitri Elif Emil Farah Greta Hana Ines Jonas Kofi Lena Mara Mateo Nadia Noor Oskar Priya Rosa Samir Tove Yuki Zoe".split(
    " ",
  );
export const LAST_NAMES =
  "Abara Berg Castillo Demir Eklund Fischer Garcia Haddad Ito Jansen Kowalski Laurent Moreau Novak Okafor Petrov Quist Rossi Silva Tanaka Ueda Vega Weiss Yilmaz Zhang".split(
    " ",
  );
export const CITIES =
  "Aarhus Bergen Bologna Cork Dakar Gdansk Ghent Graz Kyoto Leeds Lima Lyon Malmo Porto Quito Riga Seville Tartu Turin Utrecht".split(
    " ",
  );
export const COUNTRIES =
  "Belgium Canada Chile Denmark Estonia Finland Ghana Iceland Ireland Japan Kenya Latvia Norway Peru Portugal Spain".split(
    " ",
  );
export const STREETS =
  "Harbour Street,Mill Lane,Station Road,Orchard Way,Church Hill,River Walk,Market Square,Garden Row".split(",");
export const COMPANIES =
  "Alder & Sons,Blue Door Studio,Copper Works,Fjord Line,Half Moon Press,Lantern Labs,Northlight,Paper Boat,Second Harvest,Tall Pines".split(
    ",",
  );
export const JOBS =
  "editor,photographer,gardener,carpenter,teacher,nurse,baker,translator,engineer,librarian,illustrator,cook".split(
    ",",
  );
export const COLOURS = "amber,azure,coral,ivory,jade,navy,ochre,rose,sage,teal".split(",");

export const ADJECTIVES =
  "quiet,narrow,patient,borrowed,bright,careful,early,familiar,gentle,hidden,honest,late,long,open,ordinary,plain,second,small,steady,unlikely,warm,wild".split(
    ",",
  );
export const NOUNS =
  "bridge,winter,garden,letter,kitchen,harbour,window,lantern,orchard,map,clock,river,workshop,ferry,library,coat,island,morning,table,road,forest,radio,staircase,market".split(
    ",",
  );
export const VERBS =
  "repairing,leaving,finding,keeping,painting,crossing,remembering,building,sharing,watching,learning,mending".split(
    ",",
  );
export const PLACES =
  "by the sea,in the valley,at the edge of town,near the station,above the bakery,behind the school,across the lake,under the old roof".split(
    ",",
  );

/** Sentence templates with placeholders in braces. */
export const SENTENCES = [
  "The {adjective} {noun} {place} was the first thing that everybody noticed.",
  "Nobody had planned for a {adjective} {noun}, and yet there it was.",
  "{verb} a {noun} takes longer than it looks.",
  "We walked to the {noun} {place} and waited for the others.",
  "What began with a {adjective} {noun} ended with a list of questions.",
  "Some of it was luck; most of it was {verb} what was there already.",
  "There is a {noun} {place} that opens only on Thursdays.",
  "Ask three people about the {noun}, and you get four answers.",
  "It helps to begin with the {adjective} parts and leave the {noun} for later.",
  "By noon the {noun} was full again, and nobody minded.",
  "Her notes on {verb} a {noun} fill two drawers.",
  "The rest of the day went into {verb} the {noun}.",
] as const;

export const TITLES = [
  "The {adjective} {noun}",
  "{verb} a {noun}",
  "A {noun} {place}",
  "Notes on a {adjective} {noun}",
  "Why we keep the {noun}",
  "The {noun} and the {noun}",
  "A {adjective} {noun} {place}",
] as const;
