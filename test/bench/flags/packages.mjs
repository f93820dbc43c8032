import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { CONTEXT_MADE_BEFORE, OURS } from './names.mjs'
import { ourEvaluator } from './ours.mjs'
import { KEYS, PERSONS, growthbookFeatures, unleashFeatures } from './workload.mjs'

/**
 * A package ready to be asked. `one` answers a function that evaluates that flag for a person, `all` evaluates all of them; the functions
 * of an asynchronous package answer promises, which are awaited. `way` tells ways apart in which one package is asked.
 *
 * @typedef {import('./workload.mjs').Person} Person
 * @typedef {{
 *   name: string
 *   version: string
 *   way?: string
 *   isAsync: boolean
 *   sharesBuckets: boolean
 *   one: (key: string) => (person: Person) => unknown
 *   all: (person: Person) => unknown
 *   stop?: () => unknown
 * }} Package
 */

/**
 * @param {{ evaluator: string, folder: string, definitionsUrl: string }} parts The path of our evaluator, where the others are installed,
 *   and where definitions are served.
 * @returns {Promise<Package[]>}
 */
export const startPackages = async ({ evaluator, folder, definitionsUrl }) => {
  const installed = createRequire(join(folder, 'program.js'))
  const versionOf = async (name) =>
    JSON.parse(await readFile(join(folder, 'node_modules', name, 'package.json'), 'utf8')).version
  const five = await posthog(installed('posthog-node'), definitionsUrl)
  const snapshot = {
    one: (key) => {
      const flagKeys = [key]
      return async ({ distinctId, properties }) =>
        (
          await five.client.evaluateFlags(distinctId, {
            personProperties: properties,
            onlyEvaluateLocally: true,
            flagKeys,
          })
        ).getFlag(key)
    },
    all: ({ distinctId, properties }) =>
      five.client.evaluateFlags(distinctId, { personProperties: properties, onlyEvaluateLocally: true }),
  }
  const shared = { isAsync: true, sharesBuckets: true }
  const version = await versionOf('posthog-node')
  return [
    ...(await ours(evaluator)),
    { name: 'posthog-node', version, ...shared, ...five },
    { name: 'posthog-node', way: 'evaluateFlags snapshot', version, ...shared, ...snapshot },
    {
      name: 'posthog-node',
      version: await versionOf('posthog-node-4'),
      ...shared,
      ...(await posthog(installed('posthog-node-4'), definitionsUrl)),
    },
    { version: await versionOf('unleash-client'), ...(await unleash(installed('unleash-client'), definitionsUrl)) },
    { version: await versionOf('@growthbook/growthbook'), ...growthbook(installed('@growthbook/growthbook')) },
  ]
}

const ours = async (evaluator) => {
  const { calls, contextOf } = await ourEvaluator(evaluator)
  const { version } = JSON.parse(await readFile('package.json', 'utf8'))
  const facts = { version, isAsync: false, sharesBuckets: true }
  return [
    { name: OURS, ...facts, ...calls(contextOf) },
    { name: OURS, way: CONTEXT_MADE_BEFORE, ...facts, ...calls(madeBefore(contextOf)) },
  ]
}

const posthog = async ({ PostHog }, host) => {
  const client = new PostHog('phc_bench', {
    host,
    personalApiKey: 'phx_bench',
    featureFlagsPollingInterval: 3_600_000,
    disableGeoip: true,
    // Of snapshots, which take no such option at the call.
    sendFeatureFlagEvent: false,
  })
  await client.reloadFeatureFlags()
  const options = madeBefore(({ properties }) => ({
    personProperties: properties,
    onlyEvaluateLocally: true,
    sendFeatureFlagEvents: false,
  }))
  return {
    client,
    one: (key) => (person) => client.getFeatureFlag(key, person.distinctId, options(person)),
    all: (person) => client.getAllFlags(person.distinctId, options(person)),
    stop: () => client.shutdown(),
  }
}

const unleash = async ({ Unleash, InMemStorageProvider }, url) => {
  const client = new Unleash({
    url,
    appName: 'bench',
    bootstrap: { data: unleashFeatures() },
    storageProvider: new InMemStorageProvider(),
    refreshInterval: 0,
    disableMetrics: true,
  })
  // Nothing but the bootstrap is there to be fetched.
  client.on('error', () => undefined)
  client.on('warn', () => undefined)
  if (!client.isSynchronized()) await new Promise((resolve) => client.once('ready', () => resolve(undefined)))
  const context = madeBefore(({ distinctId, properties }) => ({ userId: distinctId, properties }))
  const multivariate = new Set(KEYS.fiveFilters)
  const evaluate = (key, given) =>
    multivariate.has(key) ? client.getVariant(key, given) : client.isEnabled(key, given)
  return {
    name: 'unleash-client',
    isAsync: false,
    sharesBuckets: false,
    one: (key) =>
      multivariate.has(key)
        ? (person) => client.getVariant(key, context(person)).name
        : (person) => client.isEnabled(key, context(person)),
    all: (person) => {
      const given = context(person)
      let value
      for (const key of ALL_KEYS) value = evaluate(key, given)
      return value
    },
    stop: () => client.destroy(),
  }
}

const growthbook = ({ GrowthBookClient }) => {
  const client = new GrowthBookClient().initSync({ payload: { features: growthbookFeatures() } })
  const context = madeBefore(({ distinctId, properties }) => ({ attributes: { id: distinctId, ...properties } }))
  return {
    name: 'growthbook',
    isAsync: false,
    sharesBuckets: false,
    one: (key) => (person) => client.evalFeature(key, context(person)).value,
    all: (person) => {
      const given = context(person)
      let value
      for (const key of ALL_KEYS) value = client.evalFeature(key, given).value
      return value
    },
    stop: () => client.destroy(),
  }
}

/** What a package wants to know of each person, so that making it takes none of its time. */
const madeBefore = (make) => {
  const made = PERSONS.map(make)
  return ({ index }) => made[index]
}

const ALL_KEYS = Object.values(KEYS).flat()
