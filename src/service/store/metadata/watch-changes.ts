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
  close(): Promise<void>
}

/** Learns of changes within milliseconds. Nothing tells of those in a SQLite file, which only the processes of one machine make. */
export const watchMetadata = (source: MetadataSource): MetadataChanges => {
  const listeners: ((projectId: number | null) => void)[] = []
  const messageListeners: ((text: string) => void)[] = []
  const connection = isSharedSource(source)
    ? listenToChanges(source, {
        onChange(projectId) {
          for (const listener of listeners) listener(projectId)
        },
        onMessage(text) {
          for (const listener of messageListeners) listener(text)
        },
      })
    : null
  return {
    watch: (listener) => void listeners.push(listener),
    listen: (listener) => void messageListeners.push(listener),
    close: async () => connection?.close(),
  }
}
