import { expect, onTestFinished, test } from 'vitest'
import { setFlags } from '../../../../src/service/flags/definitions/change-flags.ts'
import { serializeDecideResponse } from '../../../../src/service/flags/decide/decide-response.ts'
import { parseFlagRequestBody } from '../../../../src/service/flags/decide/parse-flag-request-body.ts'
import { createDecide } from '../../../../src/service/flags/decide/decide.ts'
import { createFlagSets } from '../../../../src/service/flags/definitions/flag-sets.ts'
import { serializeFlagsResponse } from '../../../../src/service/flags/decide/flags-response.ts'
import { emptyGeoLookup } from '../../../../src/service/geo/geo-lookup.ts'
import { openTestMetadata } from '../../support/open-test-metadata.ts'
import { createProject } from '../../../../src/service/store/metadata/projects.ts'
import { vector } from '../../../support/vector.ts'

/** Stores the golden definitions. */
const openGolden = async () => {
  const metadata = await openTestMetadata()
  onTestFinished(() => metadata.destroy())
  const { id: projectId } = await createProject(metadata, 'Shop', 1000)
  await setFlags(metadata, projectId, vector('flag-definitions'), 1)
  const parts = { metadata, now: () => 1_700_000_000_000, onError: () => {} }
  const flagSets = createFlagSets(parts)
  return { projectId, flagSets, decide: createDecide({ ...parts, flagSets, geo: emptyGeoLookup }) }
}

test('parses the golden request', () => {
  expect(parseFlagRequestBody(vector('decide-request'))).toEqual({
    distinctId: 'user-1',
    anonDistinctId: 'anonymous-1',
    deviceId: 'device-1',
    groups: { company: 'acme' },
    personProperties: { plan: 'pro' },
    groupProperties: { company: { seats: 5 } },
    keys: undefined,
    contexts: undefined,
    runtime: undefined,
    usesGeo: true,
  })
})

test('serialises the golden responses of both generations', async () => {
  const { projectId, decide } = await openGolden()
  const request = { projectId, body: vector('decide-request'), connectionIp: undefined, forwardedIp: undefined }
  const result = { ...(await decide(request)), requestId: '01900000-0000-7000-8000-000000000000' }
  expect(JSON.parse(serializeDecideResponse(result))).toEqual(vector('decide-response'))
  expect(JSON.parse(serializeFlagsResponse(result, '2'))).toEqual(vector('flags-response'))
})

test('serves the golden definitions', async () => {
  const { projectId, flagSets } = await openGolden()
  const { feed } = await flagSets.get(projectId)
  expect(JSON.parse(feed(true).body.toString())).toEqual(vector('flag-definitions'))
})
