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
import styles from './navigation.module.css'

const AddProvider = lazyDialog('add-provider', async () => (await import('./add-provider.tsx')).AddProvider)

/** The selected service provider, with a button for admins that adds one. */
export const ProviderChoice = ({ canChoose, canAdd }: { canChoose: boolean; canAdd: boolean }) => {
  const [adding, setAdding] = useState(false)
  return (
    <div className={styles['provider']}>
      <Choice canChoose={canChoose} />
      {canAdd && (
        <IconButton label="Add service provider" onClick={() => setAdding(true)}>
          <Plus size={17} aria-hidden="true" />
        </IconButton>
      )}
      {adding && <AddProvider onClose={() => setAdding(false)} />}
    </div>
  )
}

const label = 'Service provider'

/** Admins choose a provider, unless there is only one. Other users see the name of their own. */
const Choice = ({ canChoose }: { canChoose: boolean }) => {
  const { providers, current } = useProviders()
  const navigate = useNavigate()
  const container = useRef<HTMLDivElement>(null)
  const { Select } = useSearchSelect(canChoose && providers.length > plainSelectLimit, container)
  const options = providers.map(({ service_provider_sid: value, name }) => ({ value, label: name }))
  const value = current?.service_provider_sid ?? ''
  const choose = (service_provider_sid: string) => {
    switchProvider(service_provider_sid)
    void navigate({ to: startPath })
  }
  if (canChoose && providers.length === 1)
    return (
      <div className={styles['choice']}>
        <span className={styles['name']}>{label}</span>
        <Tooltip text={current?.name}>{() => <span className={styles['lone']}>{current?.name}</span>}</Tooltip>
      </div>
    )
  return (
    <div className={styles['choice']} ref={container}>
      <Tooltip text={current?.name}>
        {() =>
          Select ? (
            <Select look="field" label={label} options={options} value={value} onChange={choose} />
          ) : (
            <SelectField
              label={label}
              options={options}
              value={value}
              disabled={!canChoose}
              onChange={({ target }) => choose(target.value)}
            />
          )
        }
      </Tooltip>
    </div>
  )
}
