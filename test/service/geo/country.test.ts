import { expect, it } from 'vitest'
import { countryProperties } from '../../../src/service/geo/country.ts'

it('knows name, continent and the only time zone of a country', () => {
  expect(countryProperties('NL')).toEqual({
    $geoip_country_code: 'NL',
    $geoip_country_name: 'Netherlands',
    $geoip_continent_code: 'EU',
    $geoip_continent_name: 'Europe',
    $geoip_time_zone: 'Europe/Amsterdam',
  })
})

it('says no time zone where there are several', () => {
  for (const code of ['US', 'RU', 'AU', 'BR', 'DE']) {
    expect(countryProperties(code)).toMatchObject({ $geoip_country_code: code })
    expect(countryProperties(code)).not.toHaveProperty('$geoip_time_zone')
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
  expect(countryProperties(code)).toMatchObject({ $geoip_continent_name: continent })
})

it('knows every region that is a country, each once', () => {
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
  const letters = Array.from({ length: 26 }, (_, index) => String.fromCharCode(65 + index))
  // Codes that are no country: Ascension, Clipperton, Sark, Diego Garcia, Ceuta and Melilla, the European Union, the euro
  // area, the Canaries, outlying Oceania, Tristan da Cunha, the United Nations, pseudo-locales, and what ended.
  const others = new Set('AC CP CQ DG EA EU EZ IC QO TA UN XA XB ZZ'.split(' '))
  const codes = letters
    .flatMap((first) => letters.map((second) => first + second))
    .filter((code) => names.of(code) !== undefined && new Intl.Locale('und', { region: code }).region === code)
  const unknown = codes.filter((code) => !('$geoip_country_code' in countryProperties(code)) && !others.has(code))
  expect(unknown).toEqual([])
})

it('knows nothing of what is no country', () => {
  for (const code of ['', 'ZZ', 'EU', 'nl', 'constructor']) expect(countryProperties(code)).toEqual({})
})
