import { startAccount } from './account.js'
import { showDropped, showRequest, startAgentPanel } from './agent-panel.js'
import { config } from './config.js'
import { startServicePanel } from './service-panel.js'
import { startShop } from './shop.js'
import { startSurvey } from './survey.js'
import { startVerbs } from './verbs.js'
import { startWelcome } from './welcome.js'

const host = config.host ?? location.origin

// This calls the stub, because the agent's script runs later. The options have functions, which data attributes cannot have.
globalThis.waymark.init(config.apiKey, { host, onSend: showRequest, onDrop: showDropped })

// All deferred scripts have run when this event fires.
document.addEventListener('DOMContentLoaded', () => {
  startShop()
  startWelcome()
  startAccount()
  startVerbs(startSurvey())
  startAgentPanel(`waymark:${host}:${config.apiKey}`)
  startServicePanel({ ...config, host })
  for (const closeButton of document.querySelectorAll('[data-close]')) {
    closeButton.addEventListener('click', () => closeButton.closest('dialog').close())
  }
})
