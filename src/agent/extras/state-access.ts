import type { State } from '../../capture/state.ts'

/** The user's state, and who must be told of a change. */
export interface StateAccess {
  readonly getState: () => State
  readonly changeState: (update: (state: State) => State) => void
  readonly identityChanged: () => void
}
