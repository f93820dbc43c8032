import { startAccount } from './account.js'
import { startAgentPanel } from './agent-panel.js'
import { config } from './config.js'
import { startServicePanel } from './service-panel.js'
import { startShop } from './shop.js'
import { startSurvey } from './survey.js'
import { startVerbs } from './verbs.js'
import { startWelcome } from './welcome.js'

const host = config.host ?? location.origin

startShop()
startWelcome()
startAccount()
startVerbs(startSurvey())
startAgentPanel(host)
startServicePanel({ ...config, host })
for (const closeButton of document.querySelectorAll('[data-close]')) {
  closeButton.addEventListener('click', () => closeButton.closest('dialog').close())
}
