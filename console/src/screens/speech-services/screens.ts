import { AudioLines } from 'lucide-react'
import { accountSearch, rememberedAccount } from '../../page/account-search.ts'
import { defineScreen } from '../../page/screen.ts'
import { searchSelect } from '../../page/search-select.ts'
import { tabSearch } from '../../page/tab-search.ts'

export const speechList = defineScreen({
  path: '/internal/speech-services',
  title: 'Speech services',
  load: () => import('./list.tsx'),
  search: accountSearch,
  remembered: rememberedAccount,
  menu: { group: 'byo', label: 'Speech', icon: AudioLines },
  key: 'v',
  records: () => import('./records.ts'),
  pieces: [searchSelect, () => import('./delete-service.tsx')],
})

export const addSpeech = defineScreen({
  path: '/internal/speech-services/add',
  title: 'Add a speech service',
  load: () => import('./add.tsx'),
  under: speechList,
  changes: true,
  pieces: [() => import('./form/vendor-fields.tsx')],
})

export const editSpeech = defineScreen({
  path: '/internal/speech-services/$speech_credential_sid/edit',
  title: 'Edit Speech Service',
  load: () => import('./edit.tsx'),
  search: tabSearch,
  under: speechList,
  pieces: [() => import('./form/vendor-fields.tsx')],
})

export const speechScreens = [speechList, addSpeech, editSpeech]
