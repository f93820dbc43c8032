import { expect, test } from 'vitest'
import { openApp } from '../service/support/app.ts'
import { generateSchema } from './generate-schema.ts'

test('the types of the client are those of the OpenAPI document', async () => {
  const { app } = await openApp()
  const document = (await app.inject({ method: 'GET', url: '/api/schema/' })).json()
  await expect(await generateSchema(document)).toMatchFileSnapshot('../../src/management/schema.ts')
})
