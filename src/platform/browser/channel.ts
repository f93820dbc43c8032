import type { Channel } from '../../port/channel.ts'
import type { Lifecycle } from '../../port/lifecycle.ts'

/**
 * Messages to the site's other tabs by BroadcastChannel; nothing where there is none.
 *
 * Open only while somebody listens and the page is there: an open channel keeps a page out of the back/forward cache.
 */
export const browserChannel = (name: string, lifecycle: Lifecycle): Channel => {
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
      const ends = [lifecycle.onUnload(close), lifecycle.onWake((cause) => cause === 'restored' && open()), close]
      return () => ends.forEach((end) => end())
    },
  }
}
