import type { State } from '../capture/state.ts'

/**
 * An optional part of the agent, called once when the agent starts, before its first event. Everything else that an optional part needs it
 * has from public options and verbs. The arguments have no names, because the built script shortens the names of its own members.
 *
 * @param cleanups Receives functions that end the part; called when the agent shuts down.
 * @param getState Returns the user's state.
 * @param changeState Changes it.
 * @param identityChanged Tells the flags that user or groups have changed.
 */
export type Extension = (
  cleanups: (() => void)[],
  getState: () => State,
  changeState: (update: (state: State) => State) => void,
  identityChanged: () => void,
) => void
