import { OPTION_NAMES } from '../agent/option-names.ts'
import { flags, surveys } from '../agent/parts.ts'
import type { Waymark } from '../agent/waymark.ts'
import { startTracing } from '../autocapture/start-tracing.ts'
import { lz64Form } from '../codec/lz64.ts'
import { addMissingVerbs } from './add-missing-verbs.ts'
import type { BrowserEntry, BrowserOptions } from './browser-entry.ts'
import { initBrowser } from './init-browser.ts'
import { loadDescriber } from './load-describer.ts'

const PARTS = { flags, surveys }

/** Creates the `init` of an entry whose agents have all verbs. */
export const createInit =
  (loadDelivery: BrowserEntry['loadDelivery']) =>
  (apiKey: string, options?: BrowserOptions): Waymark =>
    addMissingVerbs(
      initBrowser(apiKey, options, {
        ...PARTS,
        tracing: startTracing,
        loadDelivery,
        lz64: lz64Form,
        optionNames: OPTION_NAMES,
        loadDescriber,
      }),
      PARTS,
    )
