import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { PREBUILT_CONTEXT, OURS } from './names.mjs'
import { loadEvaluator } from './ours.mjs'
import { KEYS, PERSONS, growthbookFeatures, unleashFeatures } from './workload.mjs'

/**
 * A started package. `evaluateOne` returns a function that evaluates a flag for a person; `evaluateAll` evaluates all flags. Functions of
 * asynchronous packages return promises, which are awaited. `way` distinguishes several ways to call the same package.
 *
 * @typedef {import('./workload.mjs').Person} Person
 * @typedef {{
 *   name: string
 *   version: string
 *   way?: string
 *   isAsync: boolean
 *   sharesBuckets: boolean
 *   evaluateOne: (key: string) => (person: Person) => unknown
 *   evaluateAll: (person: Person) => unknown
 *   stop?: () => unknown
 * }} Package
 */

/**
 * @param {{ evaluator: string, folder: string, definitionsUrl: string }} options Path of our evaluator, folder of the
 *   installed packages, and URL of the definitions.
 * @returns {Promise<Package[]>}
 */
export const startPackages = async ({ evaluator, folder, definitionsUrl }) => {
  const installed = createRequire(join(folder, 'program.js'))
  const versionOf = async (name) =>
    JSON.parse(await readFile(join(folder, 'node_modules', name, 'package.json'), 'utf8')).version
  const version5 = await posthog(installed('posthog-node'), definitionsUrl)
  const snapshot = {
    evaluateOne: (key) => {
      const flagKeys = [key]
      return async ({ distinctId, properties }) =>
        (
          await version5.client.evaluateFlags(distinctId, {
            personProperties: properties,
            onlyEvaluateLocally: true,
            flagKeys,
          })
        ).getFlag(key)
    },
    evaluateAll: ({ distinctId, properties }) =>
      version5.client.evaluateFlags(distinctId, { personProperties: properties, onlyEvaluateLocally: true }),
  }
  const shared = { isAsync: true, sharesBuckets: true }
  const version = await versionOf('posthog-node')
  return [
    ...(await ours(evaluator)),
    { name: 'posthog-node', version, ...shared, ...version5 },
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
  const { createCalls, createContext } = await loadEvaluator(evaluator)
  const { version } = JSON.parse(await readFile('package.json', 'utf8'))
  const common = { version, isAsync: false, sharesBuckets: true }
  return [
    { name: OURS, ...common, ...createCalls(createContext) },
    { name: OURS, way: PREBUILT_CONTEXT, ...common, ...createCalls(precompute(createContext)) },
  ]
}

const posthog = async ({ PostHog }, host) => {
  const client = new PostHog('phc_bench', {
    host,
    personalApiKey: 'phx_bench',
    featureFlagsPollingInterval: 3_600_000,
    disableGeoip: true,
    // For snapshots, which do not have this option per call.
    sendFeatureFlagEvent: false,
  })
  await client.reloadFeatureFlags()
  const options = precompute(({ properties }) => ({
    personProperties: properties,
    onlyEvaluateLocally: true,
    sendFeatureFlagEvents: false,
  }))
  return {
    client,
    evaluateOne: (key) => (person) => client.getFeatureFlag(key, person.distinctId, options(person)),
    evaluateAll: (person) => client.getAllFlags(person.distinctId, options(person)),
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
  // There is nothing to fetch besides the bootstrap data.
  client.on('error', () => undefined)
  client.on('warn', () => undefined)
  if (!client.isSynchronized()) await new Promise((resolve) => client.once('ready', () => resolve(undefined)))
  const context = precompute(({ distinctId, properties }) => ({ userId: distinctId, properties }))
  const multivariate = new Set(KEYS.fiveFilters)
  const evaluate = (key, personContext) =>
    multivariate.has(key) ? client.getVariant(key, personContext) : client.isEnabled(key, personContext)
  return {
    name: 'unleash-client',
    isAsync: false,
    sharesBuckets: false,
    evaluateOne: (key) =>
      multivariate.has(key)
        ? (person) => client.getVariant(key, context(person)).name
        : (person) => client.isEnabled(key, context(person)),
    evaluateAll: (person) => {
      const personContext = context(person)
      let value
      for (const key of ALL_KEYS) value = evaluate(key, personContext)
      return value
    },
    stop: () => client.destroy(),
  }
}

const growthbook = ({ GrowthBookClient }) => {
  const client = new GrowthBookClient().initSync({ payload: { features: growthbookFeatures() } })
  const context = precompute(({ distinctId, properties }) => ({ attributes: { id: distinctId, ...properties } }))
  return {
    name: 'growthbook',
    isAsync: false,
    sharesBuckets: false,
    evaluateOne: (key) => (person) => client.evalFeature(key, context(person)).value,
    evaluateAll: (person) => {
      const personContext = context(person)
      let value
      for (const key of ALL_KEYS) value = client.evalFeature(key, personContext).value
      return value
    },
    stop: () => client.destroy(),
  }
}

/** Precomputes a package's input for each person, so that this is not measured. */
const precompute = (create) => {
  const results = PERSONS.map(create)
  return ({ index }) => results[index]
}

const ALL_KEYS = Object.values(KEYS).flat()
