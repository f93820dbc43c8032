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

type Bodies = readonly (Uint8Array | null)[]

/**
 * The first bodies start the thread. If it runs out of memory, null is the answer for the bodies it has, and the next ones start it again.
 *
 * @param script The built script of the thread.
 */
export const startDecompression = (script: string): Decompression => {
  let thread: DecompressionThread | null = null
  return {
    async decompress(bodies) {
      try {
        if (thread === null || thread.hasEnded()) thread = startThread(script)
        return await thread.decompress(bodies)
      } catch {
        return bodies.map(() => null)
      }
    },
    async stop() {
      await thread?.stop()
    },
  }
}

interface DecompressionThread {
  /** Rejects when the thread ends. */
  decompress(bodies: readonly Uint8Array[]): Promise<Bodies>
  hasEnded(): boolean
  stop(): Promise<void>
}

const startThread = (script: string): DecompressionThread => {
  const worker = new Worker(script, { name: 'decompression', resourceLimits: { maxYoungGenerationSizeMb: 4 } })
  worker.unref()
  let hasEnded = false
  /** What the thread still has to answer, in order. */
  const requests: { readonly resolve: (bodies: Bodies) => void; readonly reject: (error: Error) => void }[] = []
  const onEnd = (): void => {
    hasEnded = true
    for (const { reject } of requests.splice(0)) reject(new Error('The thread that decompresses bodies has ended.'))
  }
  worker.on('message', (result: DecompressedBodies) => requests.shift()?.resolve(readResult(result)))
  worker.on('error', onEnd)
  worker.on('exit', onEnd)
  return {
    decompress(bodies) {
      const packed = packBodies(bodies)
      return new Promise((resolve, reject) => {
        worker.postMessage(packed, [packed.bytes.buffer, packed.ends.buffer])
        requests.push({ resolve, reject })
      })
    },
    hasEnded: () => hasEnded,
    async stop() {
      await worker.terminate()
    },
  }
}

const readResult = (result: DecompressedBodies): Bodies => {
  const bodies: (Uint8Array | null)[] = unpackBodies(result)
  for (const index of result.skipped) bodies[index] = null
  return bodies
}
