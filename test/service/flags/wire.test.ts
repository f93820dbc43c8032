import { expect, test } from 'vitest'
import { compile } from '../../../src/evaluate/compile.ts'
import { evaluateFlag } from '../../../src/evaluate/evaluate-flag.ts'
import { type Conclusive, evaluationContext } from '../../../src/evaluate/evaluation.ts'
import { decideAnswer } from '../../../src/service/flags/decide-answer.ts'
import { readDecideSubject } from '../../../src/service/flags/decide-subject.ts'
import { vector } from '../../support/vector.ts'

test('reads the golden request and answers in the golden form', () => {
  const subject = readDecideSubject(vector('decide-request'))
  expect(subject).toEqual({
    distinctId: 'user-1',
    anonDistinctId: 'anonymous-1',
    deviceId: 'device-1',
    groups: { company: 'acme' },
    personProperties: { plan: 'pro' },
    groupProperties: { company: { seats: 5 } },
    keys: undefined,
  })
  const { flags } = compile({
    flags: [
      { id: 1, key: 'checkout', active: true, filters: { groups: [{ properties: [{ key: 'plan', value: 'pro' }] }] } },
      {
        id: 2,
        key: 'button',
        active: true,
        filters: {
          groups: [{ variant: 'blue' }],
          multivariate: { variants: [{ key: 'blue', rollout_percentage: 50 }] },
          payloads: { blue: { color: '#00f' } },
        },
      },
      { id: 3, key: 'old', active: false, filters: { groups: [{}] } },
    ],
  })
  const context = evaluationContext({ ...subject, complete: true, now: 0 })
  const evaluated = new Map<string, Conclusive>()
  for (const [key, flag] of flags) {
    const evaluation = evaluateFlag(flag, context)
    if (evaluation.value !== undefined) evaluated.set(key, evaluation)
  }
  const requestId = '01900000-0000-7000-8000-000000000000'
  expect(decideAnswer({ flags: evaluated, hasErrors: false, isPaused: false, requestId })).toEqual(
    vector('decide-answer'),
  )
})
