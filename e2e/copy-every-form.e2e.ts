import { randomUUID } from 'node:crypto'
import { closeDialog, copyRequest, readCode } from './support/copied-requests.ts'
import { seededScreens, seededTest, toAddress } from './support/every-screen.ts'
import { answerWrites, choose, fill, follow, pick, press, type Step, type } from './support/form-steps.ts'
import { save } from './support/records.ts'
import { readCurlRequests } from './support/run-code.ts'
import { expect } from './support/test.ts'

/** Every form shows the requests that a save then sends. */

const secret = `S3cret-"of"-the-form's`

const name = `O'Brien "$HOME" \`id\` ж ${randomUUID().slice(0, 8)}`
const address = 'https://apps.example.org/call'

const target = `${address}?key=1`

/** Secrets that are not typed as `secret`: an address that anyone could send alerts to, and a stored password. */
const otherSecrets: Readonly<Record<string, string>> = { TARGET: target, CALL_STATUS_HOOK_PASSWORD: 'p' }

/** The steps that fill in each form, by its path and by the tab of its screen. */
const forms: Readonly<Record<string, readonly Step[]>> = {
  '/internal/accounts/$account_sid/edit': [fill('Account name', name), fill('Max calls', '8')],
  '/internal/accounts/add': [
    fill('Account name', name),
    fill('Max calls', '7'),
    fill('Registration webhook URL', address),
    press('Use HTTP basic authentication for the registration webhook'),
    fill('Registration webhook username', 'user'),
    fill('Registration webhook password', secret),
  ],
  '/internal/alert-destinations/$alert_destination_sid/edit': [fill('Name', name), press('Send alerts')],
  '/internal/alert-destinations/add': [fill('Name', name), fill('Address', target)],
  '/internal/applications/$application_sid/edit': [
    fill('Application name', name),
    fill('Calling webhook password', secret),
  ],
  '/internal/applications/add': [
    fill('Application name', name),
    fill('Calling webhook URL', address),
    fill('Call status webhook URL', address),
  ],
  '/internal/carriers/$voip_carrier_sid/edit': [fill('Carrier name', name), fill('Network address', '198.51.100.9')],
  '/internal/carriers/add': [
    fill('Carrier name', name),
    fill('Network address', '198.51.100.8'),
    fill('Auth username', 'user'),
    fill('Password', secret),
  ],
  '/internal/carriers/add/guided': [
    follow('IP trunk'),
    fill('Carrier name', name),
    fill('Network address', '198.51.100.8'),
  ],
  '/internal/clients/$client_sid/edit': [press('Allow direct calling to users')],
  '/internal/clients/add': [fill('User name', `user-${randomUUID().slice(0, 8)}`), fill('Password', secret)],
  '/internal/least-cost-routing/$lcr_sid/edit': [
    fill('Digit prefix or regex of route 3', '^49'),
    fill('Name', name.slice(0, 30)),
  ],
  '/internal/least-cost-routing/add': [
    fill('Name', name.slice(0, 30)),
    choose('Select a default outbound carrier', { index: 1 }),
    fill('Digit prefix or regex of route 1', '^44'),
    choose('Carrier of route 1', { index: 1 }),
  ],
  '/internal/ms-teams-tenants/$ms_teams_tenant_sid/edit': [fill('Domain name', 'changed.example.org')],
  '/internal/ms-teams-tenants/add': [fill('Domain name', `${randomUUID().slice(0, 8)}.example.org`)],
  '/internal/phone-numbers/$phone_number_sid/edit': [choose('Application', { index: 1 })],
  '/internal/phone-numbers/add': [type('Phone number', '15083084810'), choose('Carrier', { index: 1 })],
  '/internal/reviews/settings': [press('Calls with errors'), fill('Labels', name)],
  '/internal/settings': [fill('Domain name', 'example.org'), choose('Minimum password length', { index: 3 })],
  '/internal/settings/masking': [press('Mask pressed digits')],
  '/internal/settings?tab=provider': [fill('Service provider name', name)],
  '/internal/speech-services/$speech_credential_sid/edit': [press('Use for speech-to-text')],
  '/internal/speech-services/add': [
    pick('Vendor', 'Deepgram'),
    fill('Label', 'new'),
    press('Use for text-to-speech'),
    fill('API key', secret),
  ],
  '/internal/users/$user_sid/edit': [press('View-only User'), fill('Temporary password', secret)],
  '/internal/users/add': [
    fill('User name', name.slice(0, 30)),
    fill('User email', `${randomUUID().slice(0, 8)}@example.org`),
    fill('Temporary password', secret),
  ],
}

for (const [path, steps] of Object.entries(forms))
  seededTest(`shows the requests of ${path}`, async ({ page, open, house }) => {
    const writes = await answerWrites(page)
    await open(toAddress({ path } as (typeof seededScreens)[number], house))
    // The values with which a new record begins depend on what the form reads.
    await page.waitForLoadState('networkidle')
    for (const step of steps) await step(page)
    const code = await readCode(page)
    expect(code).not.toContain('S3cret')
    const requests = await readCurlRequests(code, (variable) => otherSecrets[variable] ?? secret)
    expect(requests).not.toEqual([])
    await closeDialog(page)
    expect(writes, 'before the save').toEqual([])
    await save(page).filter({ visible: true }).click()
    await expect.poll(() => writes).toEqual(requests)
  })

seededTest('no form is left out', async ({ page, open, house }) => {
  await open('/internal/accounts')
  for (const screen of seededScreens)
    await seededTest.step(screen.path, async () => {
      await page.goto(toAddress(screen, house))
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
      if (!(await save(page).first().isVisible())) return
      await expect(copyRequest(page)).toHaveCount(1)
      expect(Object.keys(forms)).toContain(screen.path)
    })
})
