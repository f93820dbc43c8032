import type { Channel } from '../../port/channel.ts'
import { noop } from '../../port/noop.ts'
import type { Beacon } from '../../port/send.ts'

/** The ports of an agent beside which no other tab runs, and which sends no beacon when it ends. */
export const SINGLE_PAGE_PORTS: {
  readonly channel: Channel
  readonly onStorageChange: () => () => void
  readonly windowId: () => undefined
  readonly beacon: Beacon
} = {
  channel: { post: noop, onMessage: () => noop },
  onStorageChange: () => noop,
  windowId: () => undefined,
  beacon: () => false,
}
