import type { PostHog as Original, PostHogConfig as OriginalConfig } from 'posthog-js'
import { expect, it } from 'vitest'
import type { PostHog, PostHogConfig } from '../../../src/agent/compat/posthog.ts'

/** The declared names, without those of an index signature. */
type Names<T> = keyof { [Name in keyof T as string extends Name ? never : number extends Name ? never : Name]: 0 }
type IsNone<T> = [T] extends [never] ? true : false

it('declares only calls and options that posthog-js has', () => {
  // The compiler checks this.
  const haveSameNames: [
    IsNone<Exclude<Names<PostHog>, keyof Original>>,
    IsNone<Exclude<Names<PostHogConfig>, keyof OriginalConfig>>,
  ] = [true, true]
  expect(haveSameNames).toEqual([true, true])
})
