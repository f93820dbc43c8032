import { expect, it } from 'vitest'
import { findClosestName, findNearMiss } from '../../src/service/closest-name.ts'
import { measureCpuMs } from '../support/cpu-time.ts'

it.each([
  ['boguht', 'bought'],
  ['BOUGHT', 'bought'],
  ['bght', null],
  ['pageview', '$pageview'],
  ['paegviwe', '$pageview'],
  ['signup', 'signed up'],
  ['x', null],
  ['', null],
])('finds the name that differs least from "%s": %s', (name, expected) => {
  expect(findClosestName(name, ['bought', '$pageview', 'signed up'])).toBe(expected)
})

it.each([
  ['date_form', 'date_from'],
  ['dateFrom', 'date_from'],
  ['date', null],
  ['breakdwon_filter', 'breakdownFilter'],
  ['breakdown', null],
  ['mth', 'math'],
  ['path', 'math'],
  ['meth_od', null],
  ['math', null],
  ['totalIntervalls', 'totalIntervals'],
  ['totalInterv', null],
  ['', null],
])('finds the field that "%s" nearly is: %s', (name, expected) => {
  expect(findNearMiss(name, ['date_from', 'breakdownFilter', 'math', 'totalIntervals'])).toBe(expected)
})

it('compares no names of more than 100 characters', () => {
  expect(findClosestName('a'.repeat(100), ['a'.repeat(101), `${'a'.repeat(99)}b`])).toBe(`${'a'.repeat(99)}b`)
  expect(findClosestName('a'.repeat(101), ['a'.repeat(100)])).toBe(null)
})

it('takes no time for many long names', () => {
  const names = Array.from({ length: 3_000 }, (_, index) => 'ab'.repeat(10_000) + index)
  const cpuMs = measureCpuMs(() => expect(findClosestName('ba'.repeat(10_000), names)).toBe(null))
  expect(cpuMs).toBeLessThan(1_000)
})
