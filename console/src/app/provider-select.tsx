import { serviceProviderLengths } from '@patchbay/contract/rules/lengths'
import { useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { type FormEvent, useRef, useState } from 'react'
import { call } from '../api/client.ts'
import { failureText } from '../api/failure.ts'
import { providersQuery } from '../api/queries.ts'
import { Banner } from '../ui/banner.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { SelectField, TextField } from '../ui/field.tsx'
import { Tooltip } from '../ui/tooltip.tsx'
import { startPath } from '../page/links.tsx'
import { formText } from '../page/form-text.ts'
import styles from './navigation.module.css'
import { chooseProvider, useProviders } from '../page/provider-choice.ts'
import { few, useSearchSelect } from '../page/search-select.ts'
import { useAction } from '../page/use-action.ts'

/** The service provider one works in, and for admins the way to add one. */
export const ProviderChoice = ({ mayChoose, mayAdd }: { mayChoose: boolean; mayAdd: boolean }) => {
  const [adding, setAdding] = useState(false)
  return (
    <div className={styles['provider']}>
      <Choice mayChoose={mayChoose} />
      {mayAdd && (
        <IconButton label="Add service provider" onClick={() => setAdding(true)}>
          <Plus size={17} aria-hidden="true" />
        </IconButton>
      )}
      {adding && <AddProvider onClose={() => setAdding(false)} />}
    </div>
  )
}

const label = 'Service provider'

/** Where an admin has nothing to choose the name stands alone; others have their own, and a select that tells so. */
const Choice = ({ mayChoose }: { mayChoose: boolean }) => {
  const { providers, current } = useProviders()
  const navigate = useNavigate()
  const place = useRef<HTMLDivElement>(null)
  const { Select } = useSearchSelect(mayChoose && providers.length > few, place)
  const options = providers.map(({ service_provider_sid: value, name }) => ({ value, label: name }))
  const value = current?.service_provider_sid ?? ''
  const choose = (service_provider_sid: string) => {
    chooseProvider(service_provider_sid)
    void navigate({ to: startPath })
  }
  if (mayChoose && providers.length === 1)
    return (
      <div className={styles['choice']}>
        <span className={styles['name']}>{label}</span>
        <Tooltip text={current?.name}>{() => <span className={styles['lone']}>{current?.name}</span>}</Tooltip>
      </div>
    )
  return (
    <div className={styles['choice']} ref={place}>
      <Tooltip text={current?.name}>
        {() =>
          Select ? (
            <Select look="field" label={label} options={options} value={value} onChange={choose} />
          ) : (
            <SelectField
              label={label}
              options={options}
              value={value}
              disabled={!mayChoose}
              onChange={({ target }) => choose(target.value)}
            />
          )
        }
      </Tooltip>
    </div>
  )
}

const AddProvider = ({ onClose }: { onClose: () => void }) => {
  const [missing, setMissing] = useState(false)
  const add = useAction({
    run: (name: string) => call('POST /ServiceProviders', { body: { name } }),
    done: (_, name) => `Added new service provider ${name}`,
    changes: [providersQuery.queryKey],
    after: ({ sid }) => {
      chooseProvider(sid)
      onClose()
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const name = formText(event.currentTarget, 'name').trim()
    setMissing(name === '')
    if (name !== '' && !add.isPending) add.mutate(name)
  }
  return (
    <Dialog title="Add new service provider" onClose={onClose} blocking={add.isPending}>
      <form onSubmit={submit} noValidate className={styles['dialogForm']} aria-label="Add new service provider">
        <TextField
          label="Service provider name"
          name="name"
          required
          maxLength={serviceProviderLengths.name}
          data-autofocus
          error={missing ? 'Enter a name' : undefined}
        />
        {add.isError && (
          <Banner tone="bad" role="alert">
            {failureText(add.error)}
          </Banner>
        )}
        <div className={styles['dialogActions']}>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" busy={add.isPending}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
