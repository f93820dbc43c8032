import { Worker } from 'node:worker_threads'
import type { Decompress } from './decompress-ahead.ts'
import type { DecompressedBodies } from './decompress-bodies.ts'
import { packBodies, unpackBodies } from './pack-bodies.ts'

/** Decompresses bodies in a thread, while this one parses others: it is the busiest of the indexer. */
export interface Decompression {
  readonly decompress: Decompress
  /** Ends the thread. */
  stop(): Promise<void>
}

interface Waiting {
  /** Number of bodies. */
  readonly count: number
  readonly resolve: (bodies: readonly (Uint8Array | null)[]) => void
}

/**
 * The first bodies start the thread. If it ends, for lack of memory, what it had to do is left to the caller, and the next bodies start it
 * again.
 *
 * @param script The built script of the thread.
 */
export const startDecompression = (script: string): Decompression => {
  let thread: Worker | null = null
  /** What the thread still has to answer, in order. */
  let waiting: Waiting[] = []

  const leaveWaiting = (): void => {
    const left = waiting
    waiting = []
    for (const { count, resolve } of left) resolve(Array.from({ length: count }, () => null))
  }

  const startThread = (): Worker => {
    const started = new Worker(script, { name: 'decompression', resourceLimits: { maxYoungGenerationSizeMb: 4 } })
    started.unref()
    const onEnded = (): void => {
      if (thread !== started) return
      thread = null
      leaveWaiting()
    }
    started.on('message', (result: DecompressedBodies) => waiting.shift()?.resolve(readResult(result)))
    started.on('error', onEnded)
    started.on('exit', onEnded)
    return started
  }

  return {
    async decompress(bodies) {
      const packed = packBodies(bodies)
      try {
        thread ??= startThread()
        thread.postMessage(packed, [packed.bytes.buffer, packed.ends.buffer])
      } catch {
        return bodies.map(() => null)
      }
      return new Promise((resolve) => waiting.push({ count: bodies.length, resolve }))
    },
    async stop() {
      await thread?.terminate()
    },
  }
}

const readResult = (result: DecompressedBodies): (Uint8Array | null)[] => {
  const bodies: (Uint8Array | null)[] = unpackBodies(result)
  for (const index of result.left) bodies[index] = null
  return bodies
}
