//! Context cues: words that tell what is next to them. Titles, roles, legal forms, street words.
//!
//! In: the hash of a folded word. Out: flags. The lists are written by hand in the most common
//! languages; a word may have several flags. Built once, on first use.

use std::sync::LazyLock;

use crate::dictionary::{hash, hash_at, lookup};

/// `Mr`, `Frau`, `Dr`: a name follows.
pub(crate) const TITLE: u32 = 1;
/// `contact`, `von`, `dear`: a name may follow.
pub(crate) const PERSON_CUE: u32 = 1 << 1;
/// `GmbH`, `Ltd`: a company precedes it.
pub(crate) const LEGAL_FORM: u32 = 1 << 2;
/// `Group`, `Holding`, `Bank`: likely part of the name of a company.
pub(crate) const COMPANY_WORD: u32 = 1 << 3;
/// `Street`, `Avenue`: a street name precedes it.
pub(crate) const STREET_END: u32 = 1 << 4;
/// `rue`, `Calle`, `Via`: a street's name follows.
pub(crate) const STREET_START: u32 = 1 << 5;
/// `Apt`, `Suite`, `Flat`: a number of a dwelling follows.
pub(crate) const DWELLING: u32 = 1 << 6;
/// `van`, `de`, `bin`: inside a name.
pub(crate) const PARTICLE: u32 = 1 << 7;
/// Never part of a person's name.
pub(crate) const STOP_WORD: u32 = 1 << 8;
/// `works for`, `at`, `beneficiary`: a company may follow.
pub(crate) const COMPANY_CUE: u32 = 1 << 9;
/// `says`, `lives`, `called`: a person precedes it.
pub(crate) const PERSON_VERB: u32 = 1 << 10;
/// A telephone number may be near.
pub(crate) const PHONE_CUE: u32 = 1 << 11;
/// A card number may be near.
pub(crate) const CARD_CUE: u32 = 1 << 12;
/// A social security number may be near.
pub(crate) const SSN_CUE: u32 = 1 << 13;
/// A date of birth may be near.
pub(crate) const BIRTH_CUE: u32 = 1 << 14;
/// A version number may be near.
pub(crate) const VERSION_CUE: u32 = 1 << 15;
/// A national identity number may be near.
pub(crate) const ID_CUE: u32 = 1 << 16;
/// `Corp`-like prefixes that begin a company: `Grupo`, `Stichting`, `PT`.
pub(crate) const COMPANY_START: u32 = 1 << 17;
/// `Customer`, `Engineer`: describes a person; a name may follow.
pub(crate) const ROLE: u32 = 1 << 18;
/// Numbers near it are not telephone numbers.
pub(crate) const NOT_PHONE_CUE: u32 = 1 << 19;
/// A postal address may follow.
pub(crate) const ADDRESS_CUE: u32 = 1 << 20;
/// `and`, `und`, `y`: joins names of a company.
pub(crate) const CONJUNCTION: u32 = 1 << 21;
/// `name`, `nom`: the word itself, for `name is`.
pub(crate) const NAME_WORD: u32 = 1 << 22;
/// `is`, `ist`, `est`, `es`.
pub(crate) const COPULA: u32 = 1 << 23;
/// `password`, `token`: a secret may follow.
pub(crate) const SECRET_CUE: u32 = 1 << 24;
/// `called`, `m'appelle`, `I'm`: a name follows for sure.
pub(crate) const STRONG_PERSON_CUE: u32 = 1 << 25;
/// `Regards`, `Hi`, `Dear`: a name follows, perhaps on the next line.
pub(crate) const SALUTATION: u32 = 1 << 26;
/// `works`, `beneficiary`, `employer`: a company follows, perhaps one word later.
pub(crate) const STRONG_COMPANY_CUE: u32 = 1 << 28;
/// `number`: a telephone number may follow, if it is written in groups.
pub(crate) const NUMBER_WORD: u32 = 1 << 30;
/// `and`, `mit`, `von`: a name may follow, or anything else.
pub(crate) const WEAK_PERSON_CUE: u32 = 1 << 31;
/// `Bearer`: a token follows.
pub(crate) const BEARER: u32 = 1 << 29;
/// `Jr`, `MD`: after a name.
pub(crate) const SUFFIX: u32 = 1 << 27;

const LISTS: &[(u32, &str)] = &[
    (
        TITLE,
        "mr mrs ms miss mx dr prof professor sir madam madame monsieur mme mlle mademoiselle herr frau hr fr \
        señor señora señorita sr sra srta don doña signor signora signorina sig senhor senhora dona dott dottssa ing \
        pan pani panna dhr mevr mevrouw meneer heer hra rva sayın bay bayan rev capt captain lt sgt col gen maj \
        г-н г-жа пан пані gospodin gospođa sheikh dame lord lady judge justice senator",
    ),
    (
        STRONG_PERSON_CUE,
        "kid son daughter wife husband brother sister uncle aunt cousin nephew niece grandfather grandmother fiancé appelle llamo heiße heisse heißt chiamo chamo heet heter nazywam jmenuji namens attn aka née",
    ),
    (
        STRONG_COMPANY_CUE,
        "works work worked working employed joined beneficiary employer supplier vendor payee company firm arbeitet arbeitgeber beschäftigt \
        travaille employé trabaja empleado lavora trabalha werkt arbetar arbejder jobber pracuje pracuje çalışıyor firma empresa société azienda bedrijf represent representing",
    ),
    (BEARER, "bearer basic"),
    (WEAK_PERSON_CUE, "and or mit für von an bei zwischen und oder zu meine mein bitte"),
    (NUMBER_WORD, "number nummer número numéro numero numer broj číslo szám numaram numarası nro"),
    (SUFFIX, "jr sr ii iii iv md phd dds dvm esq msc bsc mba cpa dmd rn"),
    (
        SALUTATION | STOP_WORD,
        "hi hello hey dear regards sincerely cheers thanks thank greetings hallo liebe lieber geehrter geehrte \
        sehr grüße gruß bonjour cher chère cordialement salut hola estimado estimada querido querida saludos atentamente \
        ciao gentile caro cara saluti olá prezado prezada caro atenciosamente beste geachte groeten hej hei kære vennlig hilsen \
        mvh dzień szanowny szanowna pozdrawiam witam best yours truly love signed warmly cordially obrigado gracias merci danke \
        grazie bedankt tack takk tak kiitos teşekkürler merhaba sayın вітаю привет здравствуйте уважаемый с",
    ),
    (
        PERSON_CUE,
        "me mich mir name named called contact attn attention by with from to for ask assigned assignee reporter cc bcc caller \
        meet met introduce introducing author written reviewed approved signed requested reported created invited hired spoke speak \
        talk talked told calls beneficiary between heißt heisse heiße namens \
        ansprechpartner je suis m'appelle appelle nommé appelé avec entre pour par moi contacter soy llamo llama nombre con para por \
        entre sono chiamo chiama nome sou chamo chama heet naam ben door met voor tussen heter navn namn mitt är er jmenuji nazywam \
        imię wife husband son daughter brother sister mother father kid child uncle aunt cousin boss friend colleague partner \
        neighbour neighbor mom dad grandfather grandmother nephew niece fiancé spouse frère sœur mari femme fils fille \
        that says ref behalf remove add adding thanks via mon ma mi su tu è é ist est es is was are were born née née geb né nascido",
    ),
    (
        ROLE,
        "customer client patient employee user member guest tenant applicant candidate student teacher doctor nurse lawyer \
        attorney manager director ceo cto cfo coo president chairman secretary minister engineer developer designer analyst \
        consultant producer singer songwriter actor actress player coach artist author writer editor reporter agent driver \
        pilot officer owner holder cardholder recipient sender buyer seller vendor contact lead supervisor assistant clerk \
        founder co-founder chef mayor governor king queen prince princess pope saint kunde kundin mitarbeiter patientin mieter \
        geschäftsführer client cliente empleado paciente dipendente funcionário klant medewerker kund anställd kunde medarbejder \
        ansatt asiakas klient pracownik zákazník müşteri chauffeur directeur gérant director gerente direttore passenger traveller \
        subscriber resident witness defendant plaintiff claimant insured beneficiary payee payer debtor landlord volunteer attendee \
        visitor participant speaker panelist leader musician drummer guitarist vocalist detective inspector sergeant",
    ),
    (
        PERSON_VERB,
        "spent began grew started played sang studied teaches taught retired speak speaks talking says said lives lived works worked called calls wrote writes asked asks agreed agrees told tells wants wanted \
        needs requested requests reported reports confirmed confirms paid pays bought ordered signed joined left met \
        sent received submitted approved rejected commented replied noted thinks thought believes married died born resigned \
        explained announced spoke speaks attended moved went came got has had is was will would can could did does \
        sagt sagte wohnt arbeitet schrieb bat hat ist möchte habe dit travaille habite a est veut demande dice vive trabaja \
        quiere pide tiene ha dice lavora abita vuole diz mora trabalha quer zegt woont werkt heeft wil säger bor arbetar vill \
        har siger sier asuu mówi mieszka pracuje pronounced arrived completed updated created opened closed contacted",
    ),
    (
        LEGAL_FORM,
        "gmbh ag kg kgaa ohg gbr ug mbh ltd limited llc llp lp inc incorporated corp corporation plc pte pty sarl sàrl sas \
        sasu eurl sa snc scs sca scop spa srl srls sapa sl slu sll slne scoop scp sad sau sat lda ltda eireli mei oy oyj ab hb as asa aps \
        ky tmi osk nv bv vof cvba bvba sprl commv kft zrt nyrt bt kkt doo dooel ood eood ead ad sro spzoo spj spk kd dd jsc ooo \
        зао оао ооо пао ип тов пп aş aş ltdşti şti tic san tbk bhd sdn gesbr og eg ev kabushiki yhtiö ltée ltee cie eirl spolsro sp pvt private \
        εε αε οε επε ае еоод оод ад",
    ),
    (
        COMPANY_WORD,
        "group holding holdings partners partner associates company co industries enterprises solutions systems services \
        technologies technology labs laboratories consulting consultants consultancy bank insurance versicherung logistics \
        logistik logistica transport motors pharma pharmaceuticals foods media studios software energy capital ventures \
        investments investment trust foundation university institute college hospital clinic agency sons brothers bros hermanos \
        hnos söhne fils fratelli asociados associés associati associados gruppe gruppen groupe groep grupa werke werk bau \
        elektronik handels vertrieb verlag kanzlei asset management global international worldwide compagnie union society club \
        federation committee council ministry department airlines airways hotels resorts railways telecom communications networks \
        electronics engineering construction bakery brewery orchestra church school academy dynamics robotics analytics bancorp \
        financial mutual savings credit properties realty estates farms mills outfitters supplies traders exports imports retail",
    ),
    (
        COMPANY_START,
        "grupo groupe gruppo stichting koninklijke royal pt cv perum corporación compañía industrias despacho \
        laboratorio proyectos comercial familia club fundacja spółdzielnia stowarzyszenie gabinety fundación fundação banca banco bank \
        finanzas consultoría restauración hotel grupa ppuh fpuh construcción construcciones inversiones seguros transportes \
        distribuciones promociones fábrica minería hostelería alquileres servicios suministros desarrollo estrategias importaciones \
        jasa firma fa kancelaria ооо ао оао зао пао ип нпо тов пп фоп рао гк università universität université universidad universidade",
    ),
    (
        COMPANY_CUE,
        "at for with of company employer firm beneficiary supplier vendor client merchant works worked working joined \
        employed bei für von firma unternehmen arbeitgeber an zwischen chez pour société entreprise employeur en para con empresa \
        presso per azienda ditta ditta na em para na firmie dla u bij voor bedrijf hos for firmaet payee account owner between",
    ),
    (
        STREET_END,
        "street st avenue ave road rd drive dr lane ln boulevard blvd way court ct place pl terrace ter circle cir \
        square sq parkway pkwy highway hwy trail trl crescent cres close alley row mews gardens grove hill park plaza point \
        loop walk path pass pike run ridge view heights hts junction jct crossing causeway expressway freeway turnpike tpke station \
        bypass byway canyon cape center centre cliff cliffs club common commons corner corners course courts cove coves creek crest \
        crossroad curve dale dam divide estate estates extension falls ferry field fields flat flats ford fords forest forge \
        forges fork forks fort garden gateway glen glens green greens groves harbor harbors haven hills hollow inlet island islands isle \
        junctions key keys knoll knolls lake lakes land landing light lights loaf lock locks lodge mall manor manors meadow meadows mill \
        mills mission motorway mount mountain mountains neck orchard oval overpass parks parkways passage pine pines plain \
        plains points port ports prairie radial ramp ranch rapid rapids rest ridges river roads route rue shoal shoals shore shores \
        skyway spring springs spur spurs squares stravenue stream streets summit throughway trace track trafficway tunnel underpass \
        union unions valley valleys via viaduct views village villages ville vista walks wall ways well wells branch bridge brook brooks bluff \
        bluffs bottom burg burgs beach bend bayou annex anex arcade approach quay rise esplanade fairway circuit str strasse straße gasse \
        platz allee weg ring ufer damm chaussee gade vej vei veg gata gatan vägen väg gränd torget katu tie kuja polku \
        straat laan plein gracht kade dreef singel steeg utca út tér körút köz sétány cesta ulica ulice náměstí nám třída námestie \
        trieda nábřeží sokak sokağı caddesi cadde cad sok mahallesi bulvarı улица проспект вулиця терасе terrasse allé stræde plads heights \
        str. sreet rd. ave. dr. ln. marg nagar chowk vihar colony sector",
    ),
    (
        STREET_START,
        "rue avenue av boulevard bd blvd chemin impasse allée allee place quai route cours passage voie sentier square montée rang \
        calle c/ avenida avda av. paseo plaza pza camino carrera cra carretera ctra ronda rambla glorieta travesía callejón cuesta cañada \
        alameda acceso pasadizo urbanización vial cerrada privada prolongación calzada circuito diagonal diag pasaje psje transversal \
        via viale v.le vicolo corso piazza piazzale largo strada stretto rotonda borgo contrada canale incrocio lungomare \
        rua r. avenida travessa praça praca alameda estrada rodovia largo ladeira viela vila jardim praia parque quadra lagoa conjunto \
        setor vale morro núcleo trecho trevo vereda viaduto recanto residencial loteamento esplanada estação feira fazenda condomínio colônia chácara sítio \
        ul ul. ulica aleja al al. aleje plac pl. os. osiedle strada str. bulevardul aleea calea soseaua șoseaua intrarea drumul \
        jalan jl jl. jln gang gg gg. lorong ulitsa ул ул. улица пр. проспект пер. переулок наб. бул бул. бульвар вулиця просп. \
        οδός λεωφόρος λεωφ. πλατεία πάροδος cl. cr. dg. tr. blv. náměstí rambla am im an der alte neue plaça carrer",
    ),
    (
        DWELLING,
        "apt apt. apartment suite ste ste. unit flat studio room rm floor fl fl. box lot piso puerta apto apto. apartamento \
        appartement bât bâtiment étage appt esc escalera interno scala palazzo wohnung whg og stock top lgh lägenhet leilighet lejl bus \
        m. lok lok. mieszkanie byt kv кв кв. kat daire building bldg bldg. tower house block bloc ap ap. depto local dpto edificio \
        bloco sala appartamento bl sc et edif interior int torre dto depto piano pta esc h.no sv. st.tv no no. nr nr. nº n° num. psc opslag",
    ),
    (
        PARTICLE,
        "van von de der den del della di da dos das do du la le los las el al bin bint ibn ben ter ten te zu zum zur af av \
        st y e i san santa mac abu ould ap 't op vom d' dello degli dal dalla delle d",
    ),
    (CONJUNCTION, "and und et y e en og och och i oraz és ja & och ve и та și na og"),
    (
        PHONE_CUE,
        "phone phones telephone tel tél telefon telefono teléfono telefone téléphone mobile mobil móvil movil celular cell \
        cellphone handy cellulare portable telefoon mobiel puhelin matkapuhelin fax call calls called calling dial ring text sms \
        whatsapp signal reach reachable reached hotline callback anrufen anruf ruf rufen erreichbar rückruf durchwahl appeler appelez joignable \
        joindre llamar llame llamada marcar chiamare chiama ligar ligue contato contatto bel bellen ringa ring soita numer komórka \
        tlf gsm office landline extension ext messages contact телефон тел моб номер cep telefonu telefonní τηλ τηλέφωνο phone#  \
        hívjon telefonszám zavolejte zadzwoń telefonnummer rufnummer handynummer mobilnummer 電話 电话 手机 전화",
    ),
    (
        NOT_PHONE_CUE,
        "order invoice tracking isbn issn sku part ref reference version id uuid serial batch ticket case page pages \
        chapter account acct build commit error code job pid port size bytes ms seconds amount total price usd eur gbp job row line \
        lines bestellung rechnung auftrag sendung seite commande facture pedido factura ordine fattura zip postcode upc ean gtin model \
        rfc cve bug issue pr invoice# seq offset count hash checksum epoch timestamp lat lon latitude longitude alt revision po",
    ),
    (
        CARD_CUE,
        "card cards visa mastercard amex maestro karte kreditkarte carte tarjeta carta cartão kaart kort kortti karta kartı kredi \
        creditcard cc pan discover diners jcb kártya карта debit credit kredit crédit crédito credito",
    ),
    (SSN_CUE, "ssn ss# social sozialversicherungsnummer socialsecurity tin itin taxpayer ssns"),
    (
        ID_CUE,
        "national nationality identity identification passport tax taxid vat nino insurance nhs sin bsn pesel dni nie nif cif nir \
        insee sécurité steuer steuer-id steueridentifikationsnummer idnr identifikationsnummer codice fiscale cpf cnpj rg aadhaar pan \
        personnummer cpr fødselsnummer fodselsnummer henkilötunnus hetu personal personalausweis ausweis curp rfc rut rodné oib jmbg cnp \
        kennitala egn tckn kimlik 身份证 licence license driver's permit steuernummer sofinummer sozialversicherungsnummer svnr ahv avs",
    ),
    (
        BIRTH_CUE,
        "born birth birthday birthdate dob d.o.b geboren geburtsdatum geburtstag geb naissance né née nacimiento nacido nacida \
        nascita nato nata nascimento nascido nascida geboortedatum född födelsedatum født fødselsdato syntynyt syntymäaika urodzony \
        urodzona urodzenia narození narozen született születési doğum рождения родился родилась народження γέννησης 生年月日 出生",
    ),
    (
        VERSION_CUE,
        "version versions ver firmware driver release released upgrade upgraded upgrading downgrade update updated updating \
        build patch v bump bumped sdk runtime package installed install library module plugin agent_version kernel bios schema \
        chapter section clause figure versión versione versão versie fassung oid snmp toolchain dependency assembly assemblyversion \
        productversion fileversion",
    ),
    (
        ADDRESS_CUE,
        "address addresses lives live lived living located location residing resides residence home ship shipped \
        deliver delivered delivery send mail post return adresse anschrift wohnhaft wohnt domicilié habite dirección domicilio vive \
        indirizzo residente endereço mora adres woont adress bor adresse bosatt osoite zamieszkały adresa cím corner office offices \
        move moved moving visit billing shipping apartment house street at meet",
    ),
    (
        NAME_WORD,
        "name nom nombre nome naam namn navn imię imie jméno jmeno isim ad nimi név prénom surname apellido cognome имя ім'я όνομα",
    ),
    (COPULA, "is ist est es é è är er on jest je to are :"),
    (
        SECRET_CUE,
        "password passwort passphrase kennwort contraseña wachtwoord lösenord hasło heslo senha parola пароль secret token \
        key apikey api-key pin passcode credential credentials pw pwd passwd",
    ),
    (
        STOP_WORD,
        "tel phone fax email mobile the a an this that these those my your his her its our their please if when where what who why how which while \
        in on of as but not no yes ok okay so then than there here it he she we they you do does did don't can could would should shall may \
        might must will let get got see look note todo fixme update re fwd subject date sent cc error warning info debug \
        trace fatal exception null true false none undefined api url http https json xml html css sql yaml csv pdf id uuid ssn iban \
        am pm utc gmt est pst cet new old first last next previous total page chapter section figure table open close closed \
        der die das ein eine und oder nicht mit wir sie ich er es den dem des im am zum zur bitte guten tag morgen rechnung vertrag konto \
        le la les un une des du et ou je tu il elle nous vous ils facture merci veuillez el los las una y o yo usted ustedes factura \
        por favor il lo gli una e o io lei noi fattura os as um uma e ou eu você nós fatura het een en of ik jij wij zij factuur \
        northern southern eastern western north south east west central upper lower monday tuesday wednesday thursday friday saturday \
        sunday january february march april june july august september october november december feb mar apr jun jul aug sep sept \
        oct nov dec mon tue wed thu fri sat sun today tomorrow yesterday morning afternoon evening night noon week month year quarter \
        english german french spanish italian portuguese dutch polish swedish danish finnish russian chinese japanese korean arabic \
        turkish greek american british european indian canadian australian mexican brazilian african asian irish scottish swiss austrian \
         \
        hi hello dear kindly sincerely attached thanks thank regards cheers \
        github gitlab bitbucket docker kubernetes jenkins jira confluence slack zoom notion figma linear asana trello stripe paypal \
        oracle python java javascript typescript rust ruby perl scala kotlin swift golang julia cassandra redis mongo mongodb postgres \
        postgresql mysql sqlite kafka spark hadoop hive airflow maven gradle ant apache nginx caddy linux ubuntu debian fedora windows macos android \
        ios chrome firefox safari edge mozilla opera aws azure google amazon microsoft apple facebook meta twitter netflix tesla openai \
        anthropic claude gemini copilot alexa siri cortana watson bard mistral llama whisper grafana prometheus datadog sentry splunk \
        terraform ansible puppet vault consul nomad packer vagrant helm istio envoy django flask rails laravel spring angular react \
        vue svelte jasmine mocha jest cypress selenium playwright pandas numpy jupyter anaconda conda pip npm yarn node deno bun vite \
        webpack babel eslint prettier sass bootstrap tailwind jquery lambda pixel galaxy iphone ipad kindle echo excel word outlook teams \
        salesforce hubspot zendesk intercom shopify wordpress drupal joomla magento mercury venus mars jupiter saturn neptune pluto",
    ),
];

struct Table {
    /// A Bloom filter with one bit per word: most words of a text are not in the lexicon, and 8
    /// kB stay in the first-level cache.
    bits: [u64; BITS],
    slots: Vec<(u64, u32)>,
}

const BITS: usize = 1 << 10;
const SLOTS: usize = 1 << 14;

/// The position of the filter bit of a hash.
fn bit(hash: u64) -> (usize, u64) {
    ((hash >> 22) as usize & (BITS - 1), 1 << (hash >> 16 & 63))
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table { bits: [0; BITS], slots: vec![(0, 0); SLOTS] };
    for (flag, words) in LISTS {
        for word in words.split_whitespace() {
            table.add(hash(word), *flag);
        }
    }
    table
});

impl Table {
    fn add(&mut self, hash: u64, flag: u32) {
        let (word, own) = bit(hash);
        self.bits[word] |= own;
        let mask = self.slots.len() - 1;
        let mut index = (hash >> 40) as usize & mask;
        while let Some(slot) = self.slots.get_mut(index) {
            if slot.0 == hash || slot.1 == 0 {
                *slot = (hash, slot.1 | flag);
                return;
            }
            index = (index + 1) & mask;
        }
    }
}

/// A handle to the table, so that the hot loop does not check each time whether it is built.
#[derive(Clone, Copy)]
pub(crate) struct Lexicon(&'static Table);

impl Lexicon {
    pub(crate) fn get() -> Self {
        Self(&TABLE)
    }

    /// The flags of the word with this hash.
    pub(crate) fn flags(self, hash: u64) -> u32 {
        let (word, own) = bit(hash);
        if self.0.bits[word] & own == 0 {
            return 0;
        }
        let mask = self.0.slots.len() - 1;
        let mut index = (hash >> 40) as usize & mask;
        loop {
            match self.0.slots.get(index) {
                Some(&(_, 0)) | None => return 0,
                Some(&(found, flags)) if found == hash => return flags,
                Some(_) => index = (index + 1) & mask,
            }
        }
    }

    /// The flags of a word.
    pub(crate) fn word(self, word: &str) -> u32 {
        self.flags(hash(word))
    }

    /// The flags of the word at `start..end`.
    pub(crate) fn word_at(self, text: &str, start: usize, end: usize) -> u32 {
        self.flags(hash_at(text, start, end))
    }

    /// The flags here and in the dictionary, of the word at `start..end`.
    pub(crate) fn both_at(self, text: &str, start: usize, end: usize) -> (u32, u8) {
        let hash = hash_at(text, start, end);
        (self.flags(hash), lookup(hash))
    }

    /// The flags here and in the dictionary, of a word.
    pub(crate) fn both(self, word: &str) -> (u32, u8) {
        let hash = hash(word);
        (self.flags(hash), lookup(hash))
    }
}
