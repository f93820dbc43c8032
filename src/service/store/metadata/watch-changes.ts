import { noop } from '../../noop.ts'
import { waitAtMost } from '../../wait-at-most.ts'
import type { MetadataSource } from './open.ts'
import { isSharedSource } from './open.ts'
import { listenToChanges } from './postgres/listen-to-changes.ts'

/**
 * Calls a listener with the id of each project of which the settings, flags or surveys have changed, and with null when those of any
 * project may have.
 */
export type WatchChanges = (listener: (projectId: number | null) => void) => void

/** What a process learns of changes in the metadata, by itself and by others. */
export interface MetadataChanges {
  readonly watch: WatchChanges
  /** Calls a listener with each text that a node, this one too, has sent to all. */
  readonly listen: (listener: (text: string) => void) => void
  /**
   * Waits until no other process has the node id, at most for some time. Resolves to false if one still has it: its data folder is a copy of
   * this one, or this is a copy of it. While the server is away, that is not known: true.
   */
  readonly claim: (timeoutMs: number) => Promise<boolean>
  close(): Promise<void>
}

/** Learns of changes within milliseconds. Nothing tells of those in a SQLite file, which only the processes of one machine make. */
export const watchMetadata = (source: MetadataSource, nodeId: string): MetadataChanges => {
  const listeners: ((projectId: number | null) => void)[] = []
  const messageListeners: ((text: string) => void)[] = []
  let isRefused = false
  let onClaimed = noop
  const claimed = new Promise<void>((resolve) => (onClaimed = resolve))
  const connection = isSharedSource(source)
    ? listenToChanges(source, nodeId, {
        onChange(projectId) {
          for (const listener of listeners) listener(projectId)
        },
        onMessage(text) {
          for (const listener of messageListeners) listener(text)
        },
        onClaim(isClaimed) {
          isRefused = !isClaimed
          if (isClaimed) onClaimed()
        },
      })
    : null
  return {
    watch: (listener) => void listeners.push(listener),
    listen: (listener) => void messageListeners.push(listener),
    async claim(timeoutMs) {
      if (connection !== null) await waitAtMost(claimed, timeoutMs).catch(noop)
      return !isRefused
    },
    close: async () => connection?.close(),
  }
}
