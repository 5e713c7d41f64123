import { alert, button, editPath, expect, listClients, startCall, test } from './support/phone.ts'

/** The phone in a browser that denies the microphone. */

test.use({ microphone: 'denied' })

test('says that the browser denies it, and creates no SIP client', async ({ page, api, open, callable }) => {
  await open(editPath(callable))
  await startCall(page)
  await expect(alert(page)).toHaveText(
    'The browser does not let this page use the microphone. Allow it in the settings of the browser for this site, then call again.',
  )
  await expect(button(page, 'Call')).toBeFocused()
  expect(await listClients(api, callable)).toEqual([])
})
