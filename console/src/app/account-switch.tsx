import { ChevronsUpDown } from 'lucide-react'
import { Fragment, useRef } from 'react'
import { useLazyComponent } from '../lazy/use-lazy-component.ts'
import { useAccountName, useOpenFilter } from '../list/account-choice.ts'
import { stored } from '../session/storage.ts'
import { classes } from '../ui/classes.ts'
import { Tooltip } from '../ui/overlay/tooltip.tsx'
import { initials } from './initials.ts'
import styles from './scope-box.module.css'

/** The account that all lists are limited to. The accounts load when one is chosen, or when the list to choose from opens. */
export const AccountSwitch = () => {
  const button = useRef<HTMLButtonElement>(null)
  const filter = useOpenFilter()
  const account_sid = filter?.value ?? stored.accountFilter.read() ?? ''
  const { name, isPending } = useAccountName(account_sid)
  const chooser = useLazyComponent(async () => (await import('./account-chooser.tsx')).AccountChooser)
  // An account that no longer exists is ignored, as in lists.
  const text = name ?? (isPending ? '…' : 'All accounts')
  return (
    <>
      <Tooltip text={`Account: ${text}`} align="beside">
        {() => (
          <button
            ref={button}
            type="button"
            className={classes(styles['row'], styles['account'])}
            aria-haspopup="dialog"
            aria-expanded={chooser.Part !== undefined}
            aria-busy={chooser.isLoading}
            onClick={chooser.open}
          >
            {/* New elements for a new name, which is centered on phones, so that nothing moves when it arrives. */}
            <Fragment key={text}>
              <span className={styles['name']}>Account</span>
              <span className={classes(styles['chosen'], name !== undefined && styles['narrowed'])}>{text}</span>
              <ChevronsUpDown size={14} aria-hidden="true" />
              <span className={styles['tile']} aria-hidden="true">
                {name === undefined ? 'All' : initials(name)}
              </span>
            </Fragment>
          </button>
        )}
      </Tooltip>
      {chooser.Part && <chooser.Part anchor={button} value={account_sid} onClose={chooser.close} />}
    </>
  )
}
