import { setTimeout } from 'node:timers/promises'
import { noop } from '../../../noop.ts'
import { waitAtMost } from '../../../wait-at-most.ts'
import { NOTICE_LOST_CLIENT, tryClaimNode } from './claim-node.ts'
import { loadPg } from './load-pg.ts'
import { MESSAGES_CHANNEL } from './node-messages.ts'
import { CHANGES_CHANNEL } from './notify-changes.ts'
import type { PgClient } from './pg-package.ts'
import type { PostgresSource } from './postgres-source.ts'

/** Pause before the next connection. What has changed until then is read after it. */
const RECONNECT_MS = 500

/** Interval of statements that notice when the server is gone without a word. */
const PROBE_MS = 5_000

/** Pause before the next attempt to claim the node id. */
const CLAIM_RETRY_MS = 500

/** Longest wait for the answer to such a statement. */
const PROBE_TIMEOUT_MS = 5_000

/** Longest wait for the end of a connection. */
const CLOSE_TIMEOUT_MS = 1_000

/** What is called with what others tell. */
export interface Listeners {
  /** Called with the id of a project that was changed, and with null after each new connection, which does not tell of the changes before. */
  readonly onChange: (projectId: number | null) => void
  /** Called with each text that a node, this one too, has sent to all (`sendMessage`). */
  readonly onMessage: (text: string) => void
  /** Called after each attempt to claim the node id. */
  readonly onClaim: (isClaimed: boolean) => void
}

/**
 * Listens on a connection of its own, and connects again whenever it ends.
 *
 * @param nodeId The id that the connection claims (`tryClaimNode`), as soon as no other connection has it.
 */
export const listenToChanges = (
  source: PostgresSource,
  nodeId: string,
  { onChange, onMessage, onClaim }: Listeners,
): { readonly close: () => Promise<void> } => {
  const stopped = new AbortController()
  const { signal } = stopped
  /** Ends when the connection does, and at the stop. */
  const listen = async (client: PgClient): Promise<void> => {
    const ended = new AbortController()
    const onEnd = (): void => ended.abort()
    client.on('error', onEnd)
    client.on('end', onEnd)
    const until = AbortSignal.any([ended.signal, signal])
    await client.connect()
    client.on('notification', ({ channel, payload = '' }) =>
      channel === MESSAGES_CHANNEL ? onMessage(payload) : onChange(Number(payload)),
    )
    await client.query(`${NOTICE_LOST_CLIENT}; listen ${CHANGES_CHANNEL}; listen ${MESSAGES_CHANNEL}`)
    onChange(null)
    let isClaimed = false
    for (;;) {
      if (isClaimed) await client.query('select 1')
      else onClaim((isClaimed = await tryClaimNode(client, nodeId)))
      await pause(isClaimed ? PROBE_MS : CLAIM_RETRY_MS, until)
      if (until.aborted) return
    }
  }
  const run = async (): Promise<void> => {
    const { Client, settings } = await loadPg(source)
    while (!signal.aborted) {
      const client = new Client({ ...settings, query_timeout: PROBE_TIMEOUT_MS })
      // Whatever has ended it, the next connection tells of it: requests fail and say why.
      await listen(client).catch(noop)
      // A server that is gone without a word does not answer this.
      const closed = waitAtMost(client.end(), CLOSE_TIMEOUT_MS).catch(noop)
      await (signal.aborted ? closed : pause(RECONNECT_MS, signal))
    }
  }
  const running = run().catch(noop)
  return {
    close() {
      stopped.abort()
      return running
    },
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<unknown> =>
  setTimeout(ms, undefined, { signal, ref: false }).catch(noop)
