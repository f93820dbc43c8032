import type { Channel } from '../../port/channel.ts'
import type { Lifecycle } from '../../port/lifecycle.ts'

type Listener = (message: readonly string[]) => void

/**
 * Messages to the site's other tabs by BroadcastChannel; nothing where there is none.
 *
 * Open only while somebody listens and the page is there: an open channel keeps a page out of the back/forward cache.
 */
export const browserChannel = (name: string, lifecycle: Lifecycle): Channel => {
  const listeners = new Set<Listener>()
  let channel: BroadcastChannel | undefined
  let ends: (() => void)[] = []

  const close = (): void => {
    channel?.close()
    channel = undefined
  }
  const open = (): void => {
    if (channel || typeof BroadcastChannel === 'undefined') return
    channel = new BroadcastChannel(name)
    channel.addEventListener('message', ({ data }: MessageEvent<readonly string[]>) =>
      listeners.forEach((listener) => listener(data)),
    )
    // Node: a listening channel must not keep the process alive.
    ;(channel as { unref?: () => void }).unref?.()
  }

  return {
    post: (message) => channel?.postMessage(message),
    onMessage(listener) {
      if (!listeners.size)
        ends = [lifecycle.onUnload(close), lifecycle.onWake((cause) => cause === 'restored' && open())]
      listeners.add(listener)
      open()
      return () => {
        if (!listeners.delete(listener) || listeners.size) return
        ends.forEach((end) => end())
        close()
      }
    },
  }
}
