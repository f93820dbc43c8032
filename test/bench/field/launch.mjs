import { findChromium } from '../../support/chromium.mjs'

/** Some packages drop the events of browsers whose user agent says "headless". */
export const USER_AGENT =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36'

/** How Playwright starts Chromium for the bench. */
export const launchOptions = () => ({
  executablePath: findChromium(),
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-background-networking',
    '--disable-component-update',
    // Its page starts with each profile, and would take a CPU from the measured one.
    '--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup',
    // Requests to the vendors' own hosts fail at once for all packages.
    '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
  ],
})
