import { createClient } from 'waymark/management'

globalThis.client = createClient({ host: 'https://a.example', personalApiKey: 'key' })
