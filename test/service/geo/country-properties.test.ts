import { expect, it } from 'vitest'
import { getCountryProperties } from '../../../src/service/geo/country-properties.ts'

it('returns name, continent and the only time zone of a country', () => {
  expect(getCountryProperties('NL')).toEqual({
    $geoip_country_code: 'NL',
    $geoip_country_name: 'Netherlands',
    $geoip_continent_code: 'EU',
    $geoip_continent_name: 'Europe',
    $geoip_time_zone: 'Europe/Amsterdam',
  })
})

it('omits the time zone of a country with several', () => {
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

it('covers every region that is a country', () => {
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
  const letters = Array.from({ length: 26 }, (_, index) => String.fromCharCode(65 + index))
  // Regions that are not countries: Ascension, Clipperton, Sark, Diego Garcia, Ceuta and Melilla, the European Union, the euro
  // area, the Canaries, outlying Oceania, Tristan da Cunha, the United Nations, pseudo-locales, and former regions.
  const others = new Set('AC CP CQ DG EA EU EZ IC QO TA UN XA XB ZZ'.split(' '))
  const codes = letters
    .flatMap((first) => letters.map((second) => first + second))
    .filter((code) => names.of(code) !== undefined && new Intl.Locale('und', { region: code }).region === code)
  const unknown = codes.filter((code) => !('$geoip_country_code' in getCountryProperties(code)) && !others.has(code))
  expect(unknown).toEqual([])
})

it('returns nothing for an unknown code', () => {
  for (const code of ['', 'ZZ', 'EU', 'nl', 'constructor']) expect(getCountryProperties(code)).toEqual({})
})
