import { api } from '../../api/client.ts'
import { editAccount } from '../../routes/accounts.ts'
import { applicationList } from '../../routes/applications.ts'
import { startPath } from '../../screen/links.tsx'
import { preferences } from '../../ui/preferences.ts'

/**
 * Returns the start page of a hosted installation. An account without a SIP realm starts on its own page to finish the
 * setup, whatever start page the user has chosen.
 */
export const hostedStart = async (): Promise<string> => {
  const { account } = await api('GET /Users/me', {})
  const { account_sid, sip_realm } = account
  if (account_sid === null) return startPath
  if (!sip_realm) return editAccount.path.replace('$account_sid', account_sid)
  return preferences().startPage === 'overview' ? startPath : applicationList.path
}
