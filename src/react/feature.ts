import { createElement, Fragment } from 'react'
import type { ReactElement, ReactNode } from 'react'
import type { FlagKey, FlagPayloadOf, FlagValueOf } from '../wire/typed-flags.ts'
import { useFeatureFlagResult } from './flag-hooks.ts'

export interface FeatureProps<Key extends FlagKey = FlagKey> {
  readonly flag: Key
  /** The value for which the children are shown. Default: any but false, so any variant too. */
  readonly match?: FlagValueOf<Key> | undefined
  /** Shown for other values, and while the value is unknown. Default: nothing. */
  readonly fallback?: ReactNode
  /** Nodes, or a function that gets the parsed payload and returns them. */
  readonly children?: ReactNode | ((payload: FlagPayloadOf<Key>) => ReactNode)
}

/** Shows its children if a flag is on, or has the value of `match`. The flag is reported like a read of `useFeatureFlag`. */
export const Feature = <Key extends FlagKey>({ flag, match, fallback, children }: FeatureProps<Key>): ReactElement => {
  const result = useFeatureFlagResult(flag)
  const isShown = match === undefined ? result?.enabled : (result?.variant ?? result?.enabled) === match
  if (!isShown) return createElement(Fragment, null, fallback)
  return createElement(Fragment, null, typeof children === 'function' ? children(result?.payload) : children)
}
