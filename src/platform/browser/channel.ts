import { callAll } from '../../port/call-all.ts'
import type { Channel } from '../../port/channel.ts'
import type { Lifecycle } from '../../port/lifecycle.ts'

/**
 * Messages to the site's other tabs by BroadcastChannel; does nothing where that is missing.
 *
 * The channel is open only while there is a listener and the page is active: an open channel keeps the page out of the back/forward cache.
 */
export const createBrowserChannel = (name: string, lifecycle: Lifecycle): Channel => {
  let channel: BroadcastChannel | undefined
  return {
    post: (message) => channel?.postMessage(message),
    onMessage(listener) {
      const close = (): void => {
        channel?.close()
        channel = undefined
      }
      const open = (): void => {
        if (channel || typeof BroadcastChannel === 'undefined') return
        channel = new BroadcastChannel(name)
        channel.addEventListener('message', ({ data }: MessageEvent<readonly string[]>) => listener(data))
        // Node: a listening channel must not keep the process alive.
        ;(channel as { unref?: () => void }).unref?.()
      }
      open()
      return callAll([lifecycle.onUnload(close), lifecycle.onWake((cause) => cause === 'restored' && open()), close])
    },
  }
}
