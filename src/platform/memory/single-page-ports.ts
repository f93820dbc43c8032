import type { Channel } from '../../port/channel.ts'
import { noop } from '../../lib/noop.ts'
import type { Beacon } from '../../port/send.ts'

/** Of an agent beside which no other tab runs. */
export const SINGLE_PAGE_CHANNEL: Channel = { post: noop, onMessage: () => noop }

/** The ports of an agent beside which no other tab runs, and which sends no beacon when it ends. */
export const SINGLE_PAGE_PORTS: {
  readonly onStorageChange: () => () => void
  readonly windowId: () => undefined
  readonly beacon: Beacon
} = {
  onStorageChange: () => noop,
  windowId: () => undefined,
  beacon: () => false,
}
