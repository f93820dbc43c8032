import { expect, it } from 'vitest'
import { getCountryProperties } from '../../../src/service/geo/country-properties.ts'

it('returns name, continent and time zone of a country with one time zone', () => {
  expect(getCountryProperties('NL')).toEqual({
    $geoip_country_code: 'NL',
    $geoip_country_name: 'Netherlands',
    $geoip_continent_code: 'EU',
    $geoip_continent_name: 'Europe',
    $geoip_time_zone: 'Europe/Amsterdam',
  })
})

it('omits the time zone of a country that has several time zones', () => {
  for (const code of ['US', 'RU', 'AU', 'BR', 'DE']) {
    expect(getCountryProperties(code)).toMatchObject({ $geoip_country_code: code })
    expect(getCountryProperties(code)).not.toHaveProperty('$geoip_time_zone')
  }
})

it.each([
  ['ZA', 'Africa'],
  ['AQ', 'Antarctica'],
  ['JP', 'Asia'],
  ['XK', 'Europe'],
  ['CA', 'North America'],
  ['NZ', 'Oceania'],
  ['AR', 'South America'],
])('places %s in %s', (code, continent) => {
  expect(getCountryProperties(code)).toMatchObject({ $geoip_continent_name: continent })
})

it('knows the properties of every country in the Unicode list of regions', () => {
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
  const letters = Array.from({ length: 26 }, (_, index) => String.fromCharCode(65 + index))
  // Codes of regions that are not countries. Islands and cities: AC Ascension, CP Clipperton, CQ Sark, DG Diego Garcia, EA Ceuta and
  // Melilla, IC the Canary Islands, QO outlying Oceania, TA Tristan da Cunha. Unions: EU the European Union, EZ the euro area, UN the
  // United Nations. Codes without a place: XA and XB for tests of translations, ZZ for an unknown region.
  const regionsThatAreNotCountries = new Set('AC CP CQ DG EA EU EZ IC QO TA UN XA XB ZZ'.split(' '))
  const codes = letters
    .flatMap((first) => letters.map((second) => first + second))
    .filter((code) => names.of(code) !== undefined && new Intl.Locale('und', { region: code }).region === code)
  const missingCodes = codes.filter(
    (code) => !('$geoip_country_code' in getCountryProperties(code)) && !regionsThatAreNotCountries.has(code),
  )
  expect(missingCodes).toEqual([])
})

it('returns no properties for an unknown code', () => {
  for (const code of ['', 'ZZ', 'EU', 'nl', 'constructor']) expect(getCountryProperties(code)).toEqual({})
})
