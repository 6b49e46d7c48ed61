mod pairs;
