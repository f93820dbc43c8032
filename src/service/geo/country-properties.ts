import type { JsonObject } from '../../wire/json.ts'

/** Countries (ISO 3166-1, and XK as many databases have it) by continent, as GeoNames assigns them. */
const COUNTRIES_BY_CONTINENT = {
  AF:
    'AO BF BI BJ BW CD CF CG CI CM CV DJ DZ EG EH ER ET GA GH GM GN GQ GW KE KM LR LS LY MA MG ML MR MU ' +
    'MW MZ NA NE NG RE RW SC SD SH SL SN SO SS ST SZ TD TG TN TZ UG YT ZA ZM ZW',
  AN: 'AQ BV GS HM TF',
  AS:
    'AE AF AM AZ BD BH BN BT CC CN GE HK ID IL IN IO IQ IR JO JP KG KH KP KR KW KZ LA LB LK MM MN MO MV ' +
    'MY NP OM PH PK PS QA SA SG SY TH TJ TM TR TW UZ VN YE',
  EU:
    'AD AL AT AX BA BE BG BY CH CY CZ DE DK EE ES FI FO FR GB GG GI GR HR HU IE IM IS IT JE LI LT LU LV ' +
    'MC MD ME MK MT NL NO PL PT RO RS RU SE SI SJ SK SM UA VA XK',
  NA: 'AG AI AW BB BL BM BQ BS BZ CA CR CU CW DM DO GD GL GP GT HN HT JM KN KY LC MF MQ MS MX NI PA PM PR SV SX TC TT US VC VG VI',
  OC: 'AS AU CK CX FJ FM GU KI MH MP NC NF NR NU NZ PF PG PN PW SB TK TL TO TV UM VU WF WS',
  SA: 'AR BO BR CL CO EC FK GF GY PE PY SR UY VE',
} as const

type Continent = keyof typeof COUNTRIES_BY_CONTINENT

const CONTINENT_NAMES: Readonly<Record<Continent, string>> = {
  AF: 'Africa',
  AN: 'Antarctica',
  AS: 'Asia',
  EU: 'Europe',
  NA: 'North America',
  OC: 'Oceania',
  SA: 'South America',
}

const continentByCountry = new Map(
  Object.entries(COUNTRIES_BY_CONTINENT).flatMap(([continent, codes]) =>
    codes.split(' ').map((code) => [code, continent as Continent] as const),
  ),
)

const countryNames = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })

/** Node 20 has the property; later versions have the method that replaced it (ECMA-402, Intl Locale Info). */
type LocaleWithTimeZones = Intl.Locale & {
  readonly timeZones?: readonly string[]
  readonly getTimeZones?: () => readonly string[]
}

const findSingleTimeZone = (code: string): string | undefined => {
  const locale: LocaleWithTimeZones = new Intl.Locale('und', { region: code })
  const zones = locale.getTimeZones?.() ?? locale.timeZones ?? []
  return zones.length === 1 ? zones[0] : undefined
}

const createCountryProperties = (code: string): JsonObject => {
  const continent = continentByCountry.get(code)!
  const zone = findSingleTimeZone(code)
  return {
    $geoip_country_code: code,
    $geoip_country_name: countryNames.of(code) ?? code,
    $geoip_continent_code: continent,
    $geoip_continent_name: CONTINENT_NAMES[continent],
    ...(zone === undefined ? {} : { $geoip_time_zone: zone }),
  }
}

/**
 * Computed at the first event from a country: finding its time zones takes longer than an IP address lookup, and finding those of
 * all countries took a fifth of the start of a process.
 */
const propertiesByCountry = new Map<string, JsonObject>()

/**
 * Returns the geo properties of a country: code, name, continent, and its time zone if it has only one. Empty for an unknown
 * code.
 *
 * @param code ISO 3166-1 alpha-2, upper case.
 */
export const getCountryProperties = (code: string): JsonObject => {
  if (!continentByCountry.has(code)) return {}
  let properties = propertiesByCountry.get(code)
  if (properties === undefined) propertiesByCountry.set(code, (properties = createCountryProperties(code)))
  return properties
}
