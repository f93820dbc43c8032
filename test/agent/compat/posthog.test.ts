import type { PostHog as Original, PostHogConfig as OriginalConfig } from 'posthog-js'
import { describe, expect, it } from 'vitest'
import type { PostHog, PostHogConfig } from '../../../src/agent/compat/posthog.ts'
import type { WaymarkClient } from '../../../src/react/waymark-client.ts'

/** The declared names, without those of an index signature. */
type Names<T> = keyof { [Name in keyof T as string extends Name ? never : number extends Name ? never : Name]: 0 }
type IsNone<T> = [T] extends [never] ? true : false

/** Whether a page that calls posthog-js by its types compiles. */
type HasCalls<Name extends keyof Original> = IsNone<Exclude<Name, keyof PostHog>>

describe('the types of posthog-js', () => {
  it('declare no other calls and options, but getStatus() and one for waymark/react', () => {
    // The compiler checks this, and the next ones.
    const haveSameNames: [
      IsNone<Exclude<Names<PostHog>, keyof Original | 'getAnonymousId' | 'getStatus'>>,
      IsNone<Exclude<Names<PostHogConfig>, keyof OriginalConfig>>,
    ] = [true, true]
    expect(haveSameNames).toEqual([true, true])
  })

  it('declare calls without an effect, too', () => {
    const areDeclared: HasCalls<'_isIdentified' | 'canRenderSurveyAsync' | 'getAllFeatureFlags' | 'push'> = true
    expect(areDeclared).toBe(true)
  })

  it('let the object be the client of a <WaymarkProvider>', () => {
    const isClient: PostHog extends WaymarkClient ? true : false = true
    expect(isClient).toBe(true)
  })
})
