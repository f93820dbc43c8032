import { expect, it } from 'vitest'
import { createScreenReport } from '../../../src/autocapture/react-native/create-screen-report.ts'

it('reports a screen once until another one is shown', () => {
  const screens: string[] = []
  const report = createScreenReport((name) => void screens.push(name))
  for (const path of ['/', '/cart', '/cart', '/']) report({ name: path, key: path })
  report(undefined)
  report({ name: '', key: 'x' })
  expect(screens).toEqual(['/', '/cart', '/'])
})

it('reports two screens with one name, and takes the name of each report', () => {
  const screens: string[] = []
  const report = createScreenReport((name) => void screens.push(name))
  for (const path of ['/users/7', '/users/8']) report({ name: path, key: path }, () => '/users/[id]')
  report({ name: '/users/8', key: '/users/8' }, () => undefined)
  expect(screens).toEqual(['/users/[id]', '/users/[id]'])
})
