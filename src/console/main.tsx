import { render } from 'preact';
import { watchInput } from './activity.ts';
import { App } from './app.tsx';
import { followLinks } from './router.ts';
import './styles/index.css';
import { applyTheme, readTheme } from './theme.ts';

applyTheme(readTheme());
followLinks();
watchInput();
render(<App />, document.querySelector('#app')!);
