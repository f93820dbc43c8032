import { callAll } from '../../lib/call-all.ts'
import type { Channel } from '../../port/channel.ts'
import type { Lifecycle } from '../../port/lifecycle.ts'
import { tryOr } from '../../lib/try-or.ts'

/**
 * Messages to the site's other tabs by BroadcastChannel; does nothing where that is missing or throws, as in Firefox without cookies.
 *
 * The channel is open only while there is a listener and the page is active: an open channel keeps the page out of the back/forward cache.
 */
export const createBrowserChannel = (name: string, lifecycle: Lifecycle): Channel => {
  let channel: BroadcastChannel | undefined
  return {
    post: (message) => tryOr(() => channel?.postMessage(message)),
    onMessage(listener) {
      const close = (): void => {
        tryOr(() => channel?.close())
        channel = undefined
      }
      const open = (): void => {
        channel ??= tryOr(() => {
          const opened = new BroadcastChannel(name)
          opened.addEventListener('message', ({ data }: MessageEvent<readonly string[]>) => listener(data))
          // Node: a listening channel must not keep the process alive.
          ;(opened as { unref?: () => void }).unref?.()
          return opened
        })
      }
      open()
      return callAll([lifecycle.onUnload(close), lifecycle.onWake((cause) => cause === 'restored' && open()), close])
    },
  }
}
