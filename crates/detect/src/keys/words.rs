//! Words of keys in the most common languages, and the class of the value they imply.
//!
//! A word counts alone and as part of a key; joined forms (`lastname`) are listed too. If a word
//! is listed twice, the first class applies. Written by hand.

use crate::keys::{
    KeyClass, KeyClass::Address, KeyClass::Auth, KeyClass::Birth, KeyClass::Card, KeyClass::Email,
    KeyClass::Iban, KeyClass::Id, KeyClass::Ip, KeyClass::Login, KeyClass::Name,
    KeyClass::NationalId, KeyClass::Org, KeyClass::Password, KeyClass::Person, KeyClass::Phone,
    KeyClass::Place, KeyClass::Role, KeyClass::Ssn, KeyClass::Thing, KeyClass::Token,
    KeyClass::Version,
};

/// Words and joined keys by class.
pub(crate) const WORDS: &[(KeyClass, &str)] = &[
    (
        Name,
        "name names family ad nom nombre nome naam namn navn imię jméno isim nimi név имя ім'я όνομα názov naziv nume 名前 姓名 이름 氏名 اسم שם नाम",
    ),
    (
        Person,
        "firstname lastname fullname givenname familyname middlename surname forename forenames surnames nickname maidenname realname \
        displayname contactname customername clientname employeename ownername authorname holdername cardholder cardholdername accountholder \
        patientname studentname guestname recipientname sendername personname legalname preferredname passengername beneficiaryname \
        prénom prenom nomdefamille nomcomplet apellido apellidos primerapellido segundoapellido nombrecompleto nombreyapellidos \
        vorname nachname familienname vollername zuname geburtsname kundenname mädchenname cognome nominativo nomecompleto sobrenome apelido \
        voornaam achternaam volledigenaam tussenvoegsel förnamn efternamn fornavn efternavn etternavn fulltnavn etunimi sukunimi kokonimi \
        nazwisko imięinazwisko imienazwisko příjmení prijmeni celéjméno priezvisko ime prezime priimek keresztnév vezetéknév teljesnév \
        adsoyad soyad soyadı adı фамилия отчество фио прізвище επώνυμο ονοματεπώνυμο prenume numedefamilie ansprechpartner \
        ansprechpartnerin sachbearbeiter bearbeiter kontaktperson contactperson contactpersoon kontaktpersona interlocuteur bcname \
        姓 名 氏 担当者 联系人 성명 담당자 titulaire titular intestatario kontoinhaber karteninhaber inhaber nomducontact fname lname fio mname \
        given osobakontaktowa ilgilikişi yetkilikişi personacontacto personadecontacto pessoadecontato personadicontatto kontaktnaosoba \
        müşteriadı nomduclient nomecliente nomedocliente nombrecliente nombredelcliente",
    ),
    (
        Role,
        "person people persons contact contacts customer customers client clients user users employee employees staff member members owner owners \
        author authors assignee assignees reporter reporters creator requester requestor requestedby assignedto createdby updatedby modifiedby \
        approvedby reviewedby reportedby signedby submittedby manager supervisor lead leads holder patient patients student students guest guests tenant \
        tenants applicant applicants candidate candidates recipient recipients sender attendee attendees participant participants passenger \
        passengers traveler traveller subscriber subscribers attention attn attentionof buyer seller payer payee debtor beneficiary \
        beneficiaries insured resident residents visitor visitors consignee shipper signatory witness caller callee agent salesperson accountmanager \
        rep representative salesrep technician doctor physician nurse teacher instructor driver commenter reviewer reviewers committer approver approvers \
        watcher watchers organizer organiser host_person cc to from replyto individual profile individuals colleague spouse parent guardian nextofkin \
        emergencycontact billto shipto soldto deliverto addressee poc pointofcontact \
        kunde kunden kundin kontakt kontakte mitarbeiter mitarbeiterin benutzer nutzer empfänger absender besitzer eigentümer mieter patientin \
        versicherter teilnehmer bewerber auftraggeber zuständig verantwortlich verantwortlicher client utilisateur employé employe salarié \
        destinataire expéditeur propriétaire locataire bénéficiaire responsable assuré cliente clientes empleado empleados usuario usuarios \
        contacto contactos destinatario remitente propietario inquilino paciente beneficiario responsable cliente clienti dipendente \
        dipendenti utente contatto contatti mittente proprietario paziente referente beneficiario responsabile utilizador funcionário \
        funcionario contato destinatário remetente proprietário klant klanten medewerker gebruiker contactpersonen ontvanger afzender \
        eigenaar huurder patiënt kund kunder anställd användare mottagare avsändare ägare medarbejder medarbeider bruger bruker modtager \
        mottaker eier ejer asiakas työntekijä käyttäjä omistaja klient klienci pracownik użytkownik odbiorca nadawca właściciel osoba \
        zákazník zaměstnanec uživatel vlastník kullanıcı müşteri çalışan клиент сотрудник пользователь получатель владелец контакт",
    ),
    (
        Org,
        "company companies companyname organization organisation organizations organisations organizationname organisationname org orgname \
        business businessname employer employername firm firmname vendor vendors vendorname supplier suppliers suppliername merchant \
        merchantname manufacturer corporation corp enterprise accountname account_name subsidiary agency brandowner partner partners partnername \
        carrier insurer bankname bank affiliation tradingname tradingas doingbusinessas nomefantasia nomcommercial nombrecomercial nomecommerciale handelsname handelsnaam firmaadı şirketadı nazwafirmy dba legalentity workplace institution publisher distributor contractor \
        firma firmen firmenname unternehmen unternehmensname arbeitgeber lieferant lieferanten händler hersteller gesellschaft auftragnehmer organisatie \
        société societe raisonsociale entreprise employeur fournisseur fabricant organisme empresa empresas compañía compania razónsocial \
        razonsocial empleador proveedor organización organizacion fabricante azienda aziende ditta ragionesociale società societa datoredilavoro \
        fornitore organizzazione razãosocial razaosocial empregador fornecedor organização bedrijf bedrijfsnaam werkgever leverancier \
        företag foretag företagsnamn arbetsgivare leverantör virksomhed virksomhet bedrift selskap arbejdsgiver arbeidsgiver leverandør \
        yritys yhtiö työnantaja toimittaja firmy spółka przedsiębiorstwo pracodawca dostawca společnost spolocnost zaměstnavatel dodavatel \
        şirket sirket işveren tedarikçi компания организация работодатель поставщик підприємство εταιρεία 会社 会社名 公司 公司名称 회사",
    ),
    (
        Thing,
        "product products item items file files folder directory repo repos repository repositories project projects tool tools column columns \
        table tables field fields database schema branch tag tags label labels category categories class function method module package packages \
        library plugin service services server servers hostname machine instance cluster node nodes pod namespace bucket queue topic channel channels team \
        teams role_name permission policy rule rules event events job jobs task tasks workflow pipeline step steps stage build release plan plans subscription_plan \
        feature features app apps application applications device devices model models brand color colour size style variant sku asset \
        assets document documents template templates report reports dashboard metric metrics chart query view views index region country state city sprint milestone epic \
        board list_name group groups campaign course lesson song album track artist_id movie film game level currency unit type kind status \
        priority severity environment env stagename command option parameter parameters param property attribute variable key_name resource \
        resources entity_type dataset collection collections site page pages screen menu route domain zone bucketname network interface port protocol format \
        produkt produkte artikel datei ordner projekt spalte tabelle feld kategorie produit article fichier dossier projet colonne \
        producto artículo articulo archivo carpeta proyecto columna prodotto articolo progetto cartella produto arquivo projeto bestand \
        fil mappe tuote tiedosto plik produkt soubor dosya ürün файл продукт товар проект holiday ingredient recipe species animal breed \
        extension theme font icon image images layer component components widget sensor metricname hook trigger action actions skill function_name arguments args input inputs output outputs",
    ),
    (
        Phone,
        "phone phones phonenumber phonenumbers telephone telephonenumber telephones tel mobile mobilephone mobilenumber cell cellphone cellnumber \
        fax faxnumber landline homephone workphone businessphone officephone contactnumber contactphone msisdn whatsapp whatsappnumber sms callerid \
        telefon telefonnummer telefonnr handy handynummer mobil mobilnummer mobiltelefon rufnummer festnetz faxnummer durchwahl \
        téléphone telephone numérodetéléphone portable fixe télécopie mobilephonenumber teléfono telefono móvil movil celular númerodeteléfono \
        cellulare telefonocellulare numeroditelefono recapito telefone telemóvel telemovel numerodetelefone telefoon telefoonnummer mobiel \
        mobielnummer gsm puhelin puhelinnumero matkapuhelin mobiltlf tlf tlfnr telefonnummer mobilnr telefonszám numertelefonu komórka \
        telefonní telefonníčíslo gsmno ceptelefonu cep телефон мобильный τηλέφωνο κινητό 電話番号 電話 电话 手机 手机号 전화 전화번호 phoneno mobileno telno",
    ),
    (
        Email,
        "email emails emailaddress mail mails mailaddress e-mail courriel correo correoelectrónico correoelectronico posta epost sähköposti e-post mailadresse emailadresse",
    ),
    (
        Address,
        "address addresses street streetaddress addressline addressline1 addressline2 address1 address2 line1 line2 postaladdress \
        mailingaddress homeaddress billingaddress shippingaddress deliveryaddress residence streetname street1 street2 fulladdress formattedaddress \
        adresse adressen anschrift straße strasse strassehausnummer lieferadresse rechnungsadresse wohnadresse postanschrift wohnort_strasse \
        rue adressepostale voie domicile dirección direccion calle domicilio direcciónpostal indirizzo via residenza endereço endereco rua logradouro morada \
        adres straat straatnaam bezoekadres postadres adress gatuadress gata gateadresse vejnavn osoite katuosoite ulica adreszamieszkania adresa ulice \
        cím utca adresi sokak адрес улица адреса διεύθυνση 住所 地址 주소 addr",
    ),
    (
        Place,
        "city town zip zipcode postcode postalcode postal country state province county region district stadt ort plz postleitzahl land \
        ville codepostal pays ciudad códigopostal codigopostal cp país pais provincia città citta cap paese cidade cep_postal estado stad woonplaats \
        postnummer postort poststed by kaupunki postinumero miasto kodpocztowy město psč şehir город индекс latitude longitude lat lon lng",
    ),
    (
        Birth,
        "dob birth birthdate birthday dateofbirth birthdt bday geburtsdatum geburtstag geborenam datedenaissance naissance fechadenacimiento \
        fechanacimiento nacimiento datadinascita datanascita nascita datadenascimento nascimento geboortedatum födelsedatum fødselsdato fødselsdag \
        syntymäaika dataurodzenia datumnarození születésidátum doğumtarihi датарождения 生年月日 出生日期 생년월일 born",
    ),
    (
        Password,
        "password passwords passwd pwd pass passphrase passcode pin pincode secret secrets clientsecret secretkey secretaccesskey apisecret \
        appsecret sharedsecret webhooksecret signingsecret userpassword adminpassword dbpassword rootpassword newpassword oldpassword \
        kennwort passwort motdepasse passe mdp contraseña contrasena clave contrasenya senha palavrapasse wachtwoord lösenord losenord adgangskode passord \
        salasana hasło haslo heslo parola şifre sifre пароль κωδικός パスワード 密码 비밀번호 privatekey awssecretaccesskey cvv cvc seedphrase mnemonic",
    ),
    (
        Token,
        "token accesstoken refreshtoken authtoken idtoken bearertoken sessiontoken apitoken apikey apikeys accesskey accesskeyid awsaccesskeyid \
        encryptionkey signingkey sshkey subscriptionkey secretid masterkey licensekey bearer jwt credential credentials \
        bottoken deploytoken personalaccesstoken pat webhookurl sas connectionstring dsn sessionkey sessioncookie csrftoken xapikey authkey accountkey \
        apischlüssel apischluessel zugangsschlüssel zugangsschluessel zugriffsschlüssel zugriffsschluessel cléapi clédapi cléaccès cléprivée \
        claveapi clavedeapi chaveapi chavedeapi chavedeacesso chiaveapi apisleutel toegangssleutel kluczapi kluczdostępu apinyckel apinøgle \
        apinøkkel apianahtarı apiavain klíčapi storagekey hmackey webhooktoken npmtoken githubtoken gitlabtoken slacktoken",
    ),
    (Auth, "authorization proxyauthorization xauthtoken auth"),
    (
        Ssn,
        "ssn socialsecurity socialsecuritynumber ssnumber socialsecurityno sozialsecurity taxpayerid itin tin",
    ),
    (
        NationalId,
        "nationalid nationalidentifier nationalinsurance nino nationalinsurancenumber nin idnumber identitynumber idcard idcardnumber personalid \
        personalnumber personalidnumber passport passportnumber passportno taxid taxnumber vatid vatnumber driverslicense driverlicense driverslicensenumber \
        licensenumber drivinglicence nhs nhsnumber sin bsn burgerservicenummer pesel nip regon dni nie nif cif nir insee numérodesécuritésociale numsecu \
        steuerid steueridentifikationsnummer steuernummer idnr personalausweisnummer ausweisnummer reisepassnummer sozialversicherungsnummer svnr ahvnummer ahv \
        codicefiscale cf partitaiva cpf cnpj rg aadhaar aadhar pan personnummer cpr cprnummer fødselsnummer fodselsnummer henkilötunnus hetu \
        curp rfc rut rodnéčíslo rodnecislo oib jmbg cnp kennitala egn tckn tckimlikno kimlikno 身份证 身份证号 マイナンバー 주민등록번호 medicare medicarenumber",
    ),
    (
        Card,
        "card cardnumber cardno creditcard creditcardnumber debitcard pan_card ccnumber ccnum cc_number primaryaccountnumber kreditkarte kreditkartennummer kartennummer \
        numérodecarte numerodecarte cartebancaire tarjeta númerodetarjeta numerodetarjeta numerotarjeta cartadicredito numerocarta cartão cartao \
        numerocartao creditcardnummer kortnummer korttinumero numerkarty číslokarty kartnumarası",
    ),
    (
        Iban,
        "iban ibannumber bankaccount bankaccountnumber accountiban kontonummer bankverbindung konto comptebancaire cuenta cuentabancaria contocorrente rekeningnummer bankgiro",
    ),
    (
        Ip,
        "ip ipaddress ipaddr ipv4 ipv6 clientip remoteip sourceip srcip dstip sourceipaddress remoteaddr remoteaddress clientaddress xforwardedfor forwardedfor xrealip peerip lastip loginip",
    ),
    (
        Version,
        "version versions ver agentversion appversion osversion buildversion firmware firmwareversion release sdkversion useragent agent_version schemaversion apiversion build_number oid",
    ),
    (
        Id,
        "id ids uuid guid sha sha1 sha256 md5 hash checksum digest etag commit revision number no nr num count total amount price cost sum quantity qty rate score \
        serial serialnumber tracking trackingnumber reference ref orderid orderno ordernumber invoiceno invoicenumber invoiceid code sku_id isbn ean upc asin batch seq sequence \
        offset cursor nextpage nextpagetoken pagetoken nextcursor continuationtoken continuation nexttoken next previous prev timestamp ts time date datetime created updated \
        createdat updatedat modified modifiedat deletedat startedat finishedat expiresat expires duration width height weight length bytes filesize epoch nonce \
        traceid spanid requestid correlationid sessionid transactionid nodeid maxtokens tokens totaltokens prompttokens completiontokens inputtokens outputtokens iban_bic bic swift swiftcode \
        lastmodified url uri href link path filename filepath email_count latencyms ms",
    ),
    (
        Login,
        "username login userid userhandle handle screenname loginname accountid benutzername identifiant nomutilisateur nombreusuario nomeutente gebruikersnaam användarnamn brugernavn brukernavn",
    ),
];
