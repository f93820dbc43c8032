import { createContext, createElement, useContext, useMemo, useState } from 'react'
import type { Context, ReactElement, ReactNode } from 'react'
import type { FlagsBootstrap } from '../flags/flags-options.ts'
import { createFlagStore } from './flag-store.ts'
import type { FlagStore } from './flag-store.ts'
import type { WaymarkClient } from './waymark-client.ts'

export interface WaymarkProviderProps {
  /** The agent. Undefined while there is none: on a server, or before it is created. Flags then have their bootstrapped values. */
  readonly client: WaymarkClient | undefined
  /**
   * Flag values of the first render, on the server and on the page that takes over its HTML. The page then shows what the agent knows, so
   * give the same values to its option `bootstrap`. Read once: later values change nothing. Default: none, all flags are undefined there.
   */
  readonly bootstrap?: FlagsBootstrap | undefined
  readonly children?: ReactNode
}

type StoreContext = Context<FlagStore | undefined>

/** Where the context is: `import` and `require` load two copies of this file, while each copy of React needs its own context. */
const KEY: unique symbol = Symbol.for('waymark') as never

const StoreContext: StoreContext = ((createContext as { [KEY]?: StoreContext })[KEY] ??= createContext<
  FlagStore | undefined
>(undefined))

/** Gives an agent to the hooks and components below. With several providers, the nearest one counts. */
export const WaymarkProvider = ({ client, bootstrap, children }: WaymarkProviderProps): ReactElement => {
  // Only the first value: an object literal is a new object at each render, and would be a new store.
  const [firstBootstrap] = useState(bootstrap)
  const store = useMemo(() => createFlagStore(client, firstBootstrap), [client, firstBootstrap])
  return createElement(StoreContext.Provider, { value: store }, children)
}

/** Returns the store of the nearest provider. @throws Without a provider. */
export const useFlagStore = (): FlagStore => {
  const store = useContext(StoreContext)
  if (!store) throw new Error('Render this inside a <WaymarkProvider>.')
  return store
}
