import type { RefObject } from 'react'
import { chooseAccount, useAccounts, useOpenFilter } from '../list/account-choice.ts'
import { SearchPopup } from '../ui/fields/search-popup.tsx'

interface AccountChooserProps {
  /** The button that the list belongs to. */
  anchor: RefObject<HTMLElement | null>
  value: string
  onClose: () => void
}

/** The accounts to choose from, with a search field. */
export const AccountChooser = ({ anchor, value, onClose }: AccountChooserProps) => {
  const accounts = useAccounts()
  const filter = useOpenFilter()
  const options = (accounts.data ?? []).map(({ account_sid, name }) => ({ value: account_sid, label: name }))
  const all = filter?.all === false ? [] : [{ value: '', label: 'All accounts' }]
  return (
    <SearchPopup
      label="Choose an account"
      placeholder="Search accounts"
      empty={
        accounts.isPending ? 'Loading…' : accounts.isError ? 'The accounts could not be loaded.' : 'No account matches.'
      }
      anchor={anchor}
      options={[...all, ...options]}
      value={value}
      onChoose={chooseAccount}
      onClose={onClose}
    />
  )
}
