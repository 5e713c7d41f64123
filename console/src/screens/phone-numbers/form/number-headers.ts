/**
 * Names of the column of numbers in the exports of the platform, of providers, and of spreadsheets in several languages,
 * without case, accents, and separators. A file can have several: names of international numbers come first, and those
 * that can be the position of a row, or the number of a contact, last.
 */
const numberHeaders = [
  'e164 e164number phonenumbere164 numbere164 phonenumber msisdn did didnumber didno ddi ddinumber didddi tn',
  'telephonenumber telephonenumbertn fulltelephonenumber fullphonenumber fullnumber phonenumbers dids tns lvn',
  'virtualnumber inboundnumber callednumber dnis tollfreenumber tfn lineuri phoneno telephoneno telno',
  'rufnummer telefonnummer rufnr telefonnr numerodetelephone ndetelephone nodetelephone numerosda sda',
  'numerodetelefono numeroditelefono numerodetelefone telefoonnummer numertelefonu puhelinnumero telefonszam',
  'telefonnicislo telefonnecislo telefonnumarası номертелефона αριθμοςτηλεφωνου 電話番号 电话号码 電話號碼 전화번호',
  'number numbers phone telephone tel telefon telefono telefone телефон 電話 电话 nummer numero numer номер 番号 号码',
  'linenumber cli',
].flatMap((names) => names.split(' '))

const simplify = (header: string): string =>
  header
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\d]/gu, '')

const simplifiedHeaders = numberHeaders.map(simplify)

/** Returns the positions of the columns that can contain the numbers, the best first. */
export const findNumberIndexes = (names: readonly string[]): number[] => {
  const simplified = names.map(simplify)
  return simplifiedHeaders.flatMap((header) => simplified.flatMap((name, index) => (name === header ? [index] : [])))
}

/** Names of columns with the beginning of the number: the code of its country or its area. */
const codeHeaders: ReadonlySet<string> = new Set(
  'countrycode countrycallingcode callingcode dialcode dialingcode countryprefix cc areacode citycode npa ndc vorwahl landervorwahl landesvorwahl indicatif'.split(
    ' ',
  ),
)

export const isCodeHeader = (name: string): boolean => codeHeaders.has(simplify(name))
