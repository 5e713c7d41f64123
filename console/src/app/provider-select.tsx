import { useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useRef, useState } from 'react'
import { plainSelectLimit, useSearchSelect } from '../fields/use-lazy-search-select.ts'
import { lazyDialog } from '../lazy/lazy-dialog.tsx'
import { switchProvider } from '../list/list-navigation-state.ts'
import { startPath } from '../screen/links.tsx'
import { useProviders } from '../session/current-provider.ts'
import { IconButton } from '../ui/button.tsx'
import { SelectField } from '../ui/fields/field.tsx'
import { Tooltip } from '../ui/overlay/tooltip.tsx'
import { initials } from './initials.ts'
import styles from './scope-box.module.css'

const AddProvider = lazyDialog('add-provider', async () => (await import('./add-provider.tsx')).AddProvider)

/** The selected service provider, with a button for admins that adds one. */
export const ProviderChoice = ({ canChoose, canAdd }: { canChoose: boolean; canAdd: boolean }) => {
  const [adding, setAdding] = useState(false)
  return (
    <div className={styles['row']}>
      <span className={styles['name']}>Provider</span>
      <Choice canChoose={canChoose} />
      {canAdd && (
        <IconButton label="Add service provider" size="small" onClick={() => setAdding(true)}>
          <Plus aria-hidden="true" />
        </IconButton>
      )}
      {adding && <AddProvider onClose={() => setAdding(false)} />}
    </div>
  )
}

/** Admins choose a provider, unless there is only one. Other users see the name of their own. */
const Choice = ({ canChoose }: { canChoose: boolean }) => {
  const { providers, current } = useProviders()
  const navigate = useNavigate()
  const container = useRef<HTMLDivElement>(null)
  const { Select } = useSearchSelect(canChoose && providers.length > plainSelectLimit, container)
  const { service_provider_sid = '', name = '' } = current ?? {}
  const choose = (chosen: string) => {
    switchProvider(chosen)
    void navigate({ to: startPath })
  }
  const field = {
    label: 'Service provider',
    labelHidden: true,
    options: providers.map(({ service_provider_sid: value, name: label }) => ({ value, label })),
    value: service_provider_sid,
  }
  const select = () => {
    if (canChoose && providers.length === 1) return <span className={styles['lone']}>{name}</span>
    if (Select) return <Select {...field} look="field" onChange={choose} />
    return <SelectField {...field} disabled={!canChoose} onChange={({ target }) => choose(target.value)} />
  }
  return (
    <div className={styles['choice']} ref={container}>
      <Tooltip text={name}>{select}</Tooltip>
      <span className={styles['tile']} aria-hidden="true">
        {initials(name)}
      </span>
    </div>
  )
}
