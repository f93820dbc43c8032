import { chromium } from 'playwright-core'
import { createTemporaryFolder } from '../../temporary-folder.mjs'
import { launchOptions, USER_AGENT } from '../launch.mjs'
import { readMark, STORED } from '../marks.mjs'
import { sleep, visitSite } from '../visit.mjs'

const WAIT_MS = 3000

/**
 * From the first statement of the script to the first completed transaction with IndexedDB: on a first visit, which creates the database,
 * and on the next one. The profile is on disk, unlike those of the other measures.
 *
 * @param {import('../bundle.mjs').BuiltAgent} agent
 */
export const measureFirstTransaction = async (agent) => {
  const folder = createTemporaryFolder()
  try {
    const context = await chromium.launchPersistentContext(folder.path, { ...launchOptions(), userAgent: USER_AGENT })
    return await visitSite(context, agent, visitTwice)
  } finally {
    folder.remove()
  }
}

const visitTwice = async ({ page, site, open }) => {
  await page.addInitScript(markTransactions, STORED)
  const visit = async () => {
    await open()
    await sleep(WAIT_MS)
    return readMark(page, STORED)
  }
  const coldMs = await visit()
  await page.goto(site.blankUrl)
  return { coldMs, warmMs: await visit() }
}

/** Runs in the page. The transaction that creates the tables is none of these. */
const markTransactions = (name) => {
  const { transaction } = IDBDatabase.prototype
  IDBDatabase.prototype.transaction = function (...args) {
    const started = Reflect.apply(transaction, this, args)
    started.addEventListener('complete', () => performance.mark(name))
    return started
  }
}
