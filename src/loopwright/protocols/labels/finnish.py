"""Finnish: labels and sentences of the protocols. Data only."""

from loopwright.protocols.labels.words import Labels, Problems, Reasons, Wording

FINNISH = Labels(
    language="fi",
    thought=("Ajatus", "Ajatukset", "Pohdinta", "Päättely"),
    action=("Toiminto", "Toimenpide", "Toiminta"),
    input=(
        "Toiminnon syöte",
        "Toiminnon argumentit",
        "Toiminnon parametrit",
        "Toimintosyöte",
        "Toiminto syöte",
        "Toimenpiteen syöte",
    ),
    observation=("Havainto", "Havainnot"),
    final=("Lopullinen vastaus", "Loppuvastaus"),
    answer=("Vastaus",),
    below=("Syöte", "Työkalun syöte", "Argumentit", "Parametrit"),
    none=(
        "ei mitään",
        "ei mikään",
        "ei ole",
        "ei tarpeen",
        "ei tarvita",
        "ei toimintoa",
        "ei toimenpidettä",
        "ei toimenpiteitä",
        "ei muita toimintoja",
        "toimintoa ei tarvita",
        "ei työkalua",
        "työkalua ei tarvita",
    ),
    placeholders=("yhden työkalun nimi", "työkalun nimi", "<työkalu"),
    joiners=("ja", "sekä"),
    wording=Wording(
        tools="Ratkaiset tehtävän askel kerrallaan. Nämä ovat työkalut, joita voit käyttää, kukin argumentteineen:",
        no_tools="Tähän tehtävään sinulla ei ole työkaluja. Mieti asia läpi ja vastaa sitten.",
        step=(
            "Kirjoita jokainen askel täsmälleen tässä muodossa, kukin otsake oman rivinsä alkuun:\n"
            "\n"
            "Ajatus: mitä tiedät, mitä puuttuu ja mitä teet seuraavaksi\n"
            "Toiminto: yhden työkalun nimi, välilyönti ja sen argumentit yhtenä JSON-oliona, kaikki yhdellä rivillä\n"
            "\n"
            "Lopeta sitten. Seuraava viesti tuo tuloksen otsakkeen Havainto jälkeen. Luota vain siihen, mitä havainnot "
            "kertovat: älä koskaan kirjoita Havaintoa itse äläkä keksi tulosta."
        ),
        several=(
            "Toiminnot, jotka eivät tarvitse toistensa tuloksia, voi kirjoittaa yhdessä saman Ajatuksen alle, kunkin "
            "omalle rivilleen."
        ),
        last=(
            "Kun tiedät tarpeeksi tai kun asiaa ei saa selville, lopeta näin:\n"
            "\n"
            "Ajatus: miksi tehtävä on näin ratkaistu\n"
            "Lopullinen vastaus: koko vastaus sille, joka kysyi; mitään muuta kirjoittamaasi hänelle ei näytetä"
        ),
        example="Askel voi näyttää esimerkiksi tältä:\n\n{step}",
        thought="Tarvitsen tämän ensin.",
        unreadable="Viimeistä viestiäsi ei voitu käyttää.",
        because="Mikä oli vialla: {problem}",
        empty="Viimeinen viestisi oli tyhjä.",
        thinking="Se oli vasta ajatus. Jatka seuraavaan askeleeseen.",
        repeating=(
            "Teit saman kutsun kuin aiemmin ja sait saman tuloksen. Uudelleen kysyminen ei muuta sitä: käytä sitä, "
            "mitä sinulla on, kokeile jotain muuta tai vastaa."
        ),
        failing=(
            "Tällainen kutsu epäonnistuu kerta toisensa jälkeen. Muuta argumentteja tai kokeile toista tietä; jos "
            "sellaista ei ole, vastaa ja kerro, mitä ei saatu selville."
        ),
        act_first="Vastasit ennen kuin olit käyttänyt mitään työkalua. Tarkista ensin työkalulla ja vastaa sitten.",
        either="Kutsu työkalua tai vastaa tehtävään.",
        closing=(
            "Työkaluja ei voi enää käyttää ({reason}). Vastaa tehtävään nyt sillä, mitä tiedät, ja kerro, mitä puuttuu."
        ),
        reminder=(
            'Kirjoita joko\nAjatus: ...\nToiminto: työkalu {"argumentti": "arvo"}\n'
            "tai\nAjatus: ...\nLopullinen vastaus: ..."
        ),
        form="Kirjoita:\nAjatus: ...\nLopullinen vastaus: ...",
    ),
    reasons=Reasons(
        steps="askelten raja on täynnä",
        model_calls="kysymysten raja on täynnä",
        tool_calls="kutsujen raja on täynnä",
        tokens="tokenien raja on täynnä",
        cost="kustannusraja on täynnä",
        seconds="aika loppui",
        unreadable="liian monta viestiä oli käyttökelvottomia",
        no_progress="työ ei etene",
    ),
    problems=Problems(
        no_label="minkään rivin alussa ei ole Toimintoa eikä Lopullista vastausta.",
        no_tool="siinä on syöte mutta ei työkalun nimeä. Kirjoita työkalun nimi otsakkeen Toiminto jälkeen.",
        no_answer="siinä sanotaan, ettei toimintoa ole, mutta Lopullinen vastaus puuttuu.",
        empty_answer="otsakkeen Lopullinen vastaus jälkeen ei ole mitään.",
        placeholder=(
            "siinä toistetaan ohjeita eikä noudateta niitä. Kirjoita otsakkeen Toiminto jälkeen olemassa olevan "
            "työkalun nimi."
        ),
        fenced=(
            "yksi toiminto on koodilohkossa ja toinen toiminto tai vastaus sen ulkopuolella, joten ei ole selvää, "
            "kumpi on voimassa. Kirjoita yksi askel ilman koodilohkoja."
        ),
        quoted=(
            "ei ole selvää, onko toiminto tarkoitettu vai vain esimerkki. Kirjoita yksi askel ilman koodilohkoja ja "
            "ilman tekstiä sen jälkeen."
        ),
        contradictory=("syöte on annettu kahdesti eri arvoin. Kirjoita koko kutsu uudelleen, vain yhdellä syötteellä"),
        inline="siinä on otsake keskellä riviä. Kirjoita jokainen otsake oman rivinsä alkuun.",
        invented="vastaus perustuu Havaintoon, jonka kirjoitit itse. Kutsu työkalua ja odota tulosta.",
        cut="se katkesi pituusrajaan. Kirjoita lyhyempi.",
        broken_off="se katkesi ennen loppuaan. Kirjoita se uudelleen.",
        thinking="se päättyi ennen kuin ajattelusi oli valmis.",
        command="siitä ei tunnistettu komentoa. Kirjoita yksi komento yhdelle riville.",
        no_arguments="tällä työkalulla ei ole argumentteja; kirjoita {}",
        not_closed="syöte on kesken: jokin sulku jää auki. Kirjoita koko kutsu uudelleen",
        label_inside=(
            "syötteessä on rivi, joka alkaa otsakkeella, joten ei ole selvää, mihin syöte päättyy. Lähetä se "
            "merkkijonona JSON-oliossa ja merkitse rivinvaihdot \\n"
        ),
        unlabelled=(
            "työkalun nimen alla olevilla riveillä ei ole otsaketta, joten ei ole selvää, ovatko ne sen syöte. "
            "Kirjoita argumentit yhtenä JSON-oliona työkalun nimen perään"
        ),
        expected="tämä työkalu tarvitsee argumenttinsa yhtenä JSON-oliona: {shape}",
    ),
    frequent=(
        "ja tai on ei en et ole oli ovat olla mikä mitä mitkä kuka ketkä missä mistä mihin milloin miksi miten kuinka "
        "paljonko montako monta mitkä minkä kumpi että jos kun niin kuin sekä mutta myös vain nyt tänään huomenna "
        "eilen minä sinä hän me te he minun sinun sen se ne tämä tuo nämä joka jotka onko voiko saa etsi hae kerro "
        "laske anna näytä selvitä vertaa paljon enemmän välillä kanssa ilman jälkeen ennen "
        "kaikki kaksi kolme seuraava nimi hyvä kertaa vai lue kirjoita tee muunna varaa käännä maksaa "
        "jaettuna plus miinus summa tulos pääkaupunki kirjoitti sijaitsee korkea"
    ),
    traces=("ä", "ö", "aa", "yy", "uu", "ii", "een", "ssa", "sta", "lla", "lta", "inen", "kka", "tti", "ksi"),
)
