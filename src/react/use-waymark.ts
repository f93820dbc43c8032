import type { Waymark } from '../agent/waymark.ts'
import { useFlagStore } from './provider.ts'
import type { WaymarkClient } from './waymark-client.ts'

/**
 * Returns the agent of the nearest `<WaymarkProvider>`; undefined while it has none, as on a server.
 *
 * Its type has the verbs that pages and apps share. For others name the type of your agent, as in `useWaymark<Waymark>()` with the type of
 * `waymark`.
 *
 * @throws Without a provider.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- only the caller knows the type of its agent
export const useWaymark = <Client extends WaymarkClient = Omit<Waymark, 'pageview'>>(): Client | undefined =>
  useFlagStore().client as Client | undefined
